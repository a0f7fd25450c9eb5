# Where a server is and who one is there; requests, refusals and waiting.

discreet_server <- function(url = "http://127.0.0.1:8000",
                            token = Sys.getenv("DISCREET_TOKEN"),
                            timeout = 60, retries = 5, allow_http = FALSE) {
  url <- sub("/+$", "", url)
  if (!grepl("^https?://[^/]+$", url)) {
    stop("url is where the server is, such as https://ask.example.org, got ", url, call. = FALSE)
  }
  local <- grepl("^http://(localhost|127\\.[0-9.]+|\\[::1\\])(:[0-9]+)?$", url)
  if (nzchar(token) && startsWith(url, "http:") && !local && !allow_http) {
    stop("a token would be sent in clear: use https, or allow_http = TRUE", call. = FALSE)
  }
  structure(
    list(url = url, token = token, timeout = timeout, retries = retries),
    class = "discreet_server"
  )
}

print.discreet_server <- function(x, ...) {
  cat("discreet at ", x$url, if (nzchar(x$token)) ", with a token", "\n", sep = "")
  invisible(x)
}

# One request; NULL when the line broke, so that the caller may try again.
.sent <- function(server, method, path, body = NULL, headers = list()) {
  handle <- curl::new_handle(customrequest = method, timeout = server$timeout,
                             followlocation = FALSE)
  headers$Accept <- "application/json"
  if (nzchar(server$token)) headers$Authorization <- paste("Bearer", server$token)
  if (!is.null(body)) {
    headers[["Content-Type"]] <- "application/json"
    curl::handle_setopt(handle, copypostfields = jsonlite::toJSON(body, auto_unbox = TRUE))
  }
  do.call(curl::handle_setheaders, c(list(handle), headers))
  tryCatch(curl::curl_fetch_memory(paste0(server$url, path), handle), error = function(e) NULL)
}

# The reply of the server as a list; what is refused is an error of class discreet_error.
.request <- function(server, method, path, body = NULL, headers = list(), text = FALSE) {
  for (attempt in seq_len(server$retries + 1)) {
    reply <- .sent(server, method, path, body, headers)
    busy <- !is.null(reply) && reply$status_code %in% c(429, 502, 503, 504)
    if (!is.null(reply) && !busy) break
    if (attempt <= server$retries) Sys.sleep(min(0.2 * 2^attempt, 5))
  }
  if (is.null(reply)) .refuse(0, paste0("no reply from ", server$url))
  told <- rawToChar(reply$content)
  Encoding(told) <- "UTF-8"
  if (reply$status_code >= 400) .refuse(reply$status_code, .detail(told, reply$status_code))
  if (text) return(told)
  read <- jsonlite::fromJSON(told, simplifyVector = FALSE)
  attr(read, "status") <- reply$status_code
  read
}

.detail <- function(told, status) {
  problem <- tryCatch(jsonlite::fromJSON(told), error = function(e) NULL)
  if (is.list(problem) && is.character(problem$detail)) problem$detail else paste("status", status)
}

.refuse <- function(status, told) {
  stop(structure(
    class = c("discreet_error", "error", "condition"),
    list(message = told, call = NULL, status = status)
  ))
}

# Waits for a plan that takes a while; nothing is spent meanwhile.
.waited <- function(server, job) {
  while (identical(job$state, "running")) {
    Sys.sleep(0.3)
    job <- .request(server, "GET", job$url)
  }
  if (!identical(job$state, "done")) .refuse(409, job$message)
}

.at <- function(dataset, ...) {
  parts <- vapply(c(dataset, ...), curl::curl_escape, "")
  paste0("/api/datasets/", paste(parts, collapse = "/"))
}

# Numbers travel as text: "0.1" is a tenth, a double is not.
.exact <- function(value) {
  if (is.null(value) || is.character(value)) value else format(value, digits = 15, scientific = FALSE)
}

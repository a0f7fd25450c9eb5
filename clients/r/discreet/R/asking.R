# What may be asked, what it would cost, and answers.

discreet_datasets <- function(server) {
  found <- .request(server, "GET", "/api/datasets")$datasets
  vapply(found, function(one) one$name, "")
}

discreet_columns <- function(server, dataset) {
  found <- .request(server, "GET", .at(dataset))$columns
  told <- function(key) {
    vapply(found, function(one) if (is.null(one[[key]])) NA_character_ else as.character(one[[key]]), "")
  }
  values <- vapply(found, function(one) paste(unlist(one$values), collapse = ", "), "")
  data.frame(
    name = told("name"), kind = told("kind"), low = told("low"), high = told("high"),
    step = told("step"), unit = told("unit"), values = values, description = told("description")
  )
}

discreet_budget <- function(server, dataset) {
  told <- .request(server, "GET", .at(dataset))$budget
  c(left = as.numeric(told$left), spent = as.numeric(told$own$spent))
}

.question <- function(sql, epsilon, within, ...) {
  if (is.null(epsilon) == is.null(within)) {
    stop("give epsilon = \"0.5\" or within = \"3\": the privacy cost, or the accuracy", call. = FALSE)
  }
  wishes <- list(sql = sql, epsilon = .exact(epsilon), within = .exact(within), ...)
  wishes[!vapply(wishes, is.null, TRUE)]
}

discreet_plan <- function(server, dataset, sql, epsilon = NULL, within = NULL, ...) {
  body <- .question(sql, epsilon, within, ...)
  repeat {
    planned <- .request(server, "POST", .at(dataset, "plan"), body)
    if (attr(planned, "status") != 202) break
    .waited(server, planned)
  }
  structure(planned, class = "discreet_plan")
}

print.discreet_plan <- function(x, ...) {
  cat(x$asked, "\n  costs \u03b5 = ", x$epsilon, "; \u03b5 = ", x$left, " is left; nothing is spent yet\n",
      sep = "")
  for (part in x$parts) {
    off <- part$chosen$error_at_confidence
    rows <- part$chosen$rows_off
    if (!is.null(off)) {
      cat("  ", part$label, " within \u00b1", format(off, digits = 3), sep = "")
      if (length(part$chosen$rests_on) == 1 && nzchar(part$chosen$rests_on)) {
        cat("", part$chosen$rests_on)
      }
      cat("\n")
    } else if (!is.null(rows)) {
      cat("  ", part$label, ": at most ", rows, " rows off\n", sep = "")
    }
  }
  invisible(x)
}

discreet_ask <- function(server, dataset, sql, epsilon = NULL, within = NULL, ...,
                         key = NULL, plan = NULL) {
  body <- .question(sql, epsilon, within, ...)
  if (is.null(key)) key <- .fresh_key()
  headers <- list("Idempotency-Key" = key)
  if (!is.null(plan)) headers[["Plan-Digest"]] <- plan$digest
  repeat {
    answer <- .request(server, "POST", .at(dataset, "ask"), body, headers)
    if (attr(answer, "status") != 202) break
    .waited(server, answer)
  }
  .answered(server, dataset, answer)
}

discreet_answer <- function(server, dataset, receipt) {
  .answered(server, dataset, .request(server, "GET", .at(dataset, "answers", receipt)))
}

discreet_answers <- function(server, dataset) {
  found <- .request(server, "GET", .at(dataset, "answers"))$answers
  told <- function(key) vapply(found, function(one) as.character(one[[key]]), "")
  data.frame(receipt = told("receipt"), asked = told("asked"), epsilon = told("epsilon"),
             at = told("at"))
}

.answered <- function(server, dataset, answer) {
  table <- .request(server, "GET", paste0(.at(dataset, "answers", answer$receipt), ".csv"),
                    text = TRUE)
  answer$table <- utils::read.csv(text = table, check.names = FALSE, stringsAsFactors = FALSE)
  structure(answer, class = "discreet_answer")
}

# 128 random bits, so that no two questions share a key; R's own seed stays as it is.
.fresh_key <- function() {
  bytes <- if (file.exists("/dev/urandom")) {
    source <- file("/dev/urandom", "rb", raw = TRUE)
    on.exit(close(source))
    readBin(source, "raw", 16)
  } else {
    utf8ToInt(basename(tempfile(pattern = format(Sys.time(), "%Y%m%d%H%M%OS6"))))
  }
  paste0("r-", paste(sprintf("%02x", as.integer(bytes)), collapse = ""))
}

as.data.frame.discreet_answer <- function(x, ...) x$table

print.discreet_answer <- function(x, ...) {
  cat(x$asked, "\n", sep = "")
  shown <- intersect(c("group", "statistic", "value", "word", "bound", "rows_about"), names(x$table))
  told <- vapply(x$table[shown], function(column) !all(is.na(column)), logical(1))
  print(x$table[shown[told]], row.names = FALSE)
  cat("\u03b5 = ", x$epsilon, if (isTRUE(x$free)) " (told again, free)" else " spent", "; receipt ",
      x$receipt, "\n", sep = "")
  invisible(x)
}

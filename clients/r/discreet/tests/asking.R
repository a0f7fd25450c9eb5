# Run against a server: DISCREET_URL and DISCREET_TOKEN say where it is and who asks.
url <- Sys.getenv("DISCREET_URL")
if (!nzchar(url)) quit(save = "no", status = 0)
library(discreet)

desk <- discreet_server(url)
stopifnot("survey" %in% discreet_datasets(desk))
columns <- discreet_columns(desk, "survey")
stopifnot(identical(columns$name, c("clinic", "age", "satisfaction", "smokes")))
stopifnot(columns$values[1] == "North, South, other", columns$low[2] == "18")
before <- discreet_budget(desk, "survey")[["left"]]

plan <- discreet_plan(desk, "survey", "SELECT COUNT(*) GROUP BY clinic", epsilon = 0.5)
stopifnot(plan$epsilon == "0.5", discreet_budget(desk, "survey")[["left"]] == before)

first <- discreet_ask(desk, "survey", "SELECT COUNT(*) GROUP BY clinic", epsilon = "0.5",
                      key = "mine", plan = plan)
again <- discreet_ask(desk, "survey", "SELECT COUNT(*) GROUP BY clinic", epsilon = "0.5", key = "mine")
table <- as.data.frame(first)
stopifnot(is.data.frame(table), nrow(table) == 3, identical(table, as.data.frame(again)))
stopifnot(isTRUE(again$free), !isTRUE(first$free))
stopifnot(abs(discreet_budget(desk, "survey")[["left"]] - (before - 0.5)) < 1e-9)
stopifnot(nrow(discreet_answers(desk, "survey")) == 1)
stopifnot(identical(as.data.frame(discreet_answer(desk, "survey", first$receipt)), table))
print(first)

refused <- tryCatch(discreet_ask(desk, "survey", "SELECT AVG(nothing)", epsilon = "0.1"),
                    discreet_error = function(e) e)
stopifnot(refused$status == 422, grepl("there is no column", conditionMessage(refused)))
strange <- discreet_server(url, token = "dsc_wrong")
stopifnot(tryCatch(discreet_datasets(strange), discreet_error = function(e) e$status) == 401)
stopifnot(inherits(try(discreet_server("http://ask.example.org", token = "x"), silent = TRUE), "try-error"))
stopifnot(inherits(try(discreet_ask(desk, "survey", "SELECT COUNT(*)"), silent = TRUE), "try-error"))
gone <- discreet_server("http://127.0.0.1:9", retries = 0)
stopifnot(tryCatch(discreet_datasets(gone), discreet_error = function(e) e$status) == 0)
cat("asked from R\n")

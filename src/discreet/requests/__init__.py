"""What was asked for, read once: the same rules and messages for every front end.

The command line gives text, HTTP gives JSON values, Python gives either. All of them come here and
leave as exact values: an `Order` for a question, a `BatchOrder` for several, a `DesignRequest` or a
`DatabaseRequest` for a mechanism. What cannot be used raises `InvalidInput` with the field it is
about, whose name each front end spells its own way.
"""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "batch": "BatchOrder place_text read_wanted",
        "by_database": "DatabaseRequest read_database_design",
        "design": "AnswerSpace DesignRequest read_answer_space read_design",
        "order": "Order checked_order read_columns read_condition read_explained read_number "
        "read_order read_quantile read_quantiles read_question read_wishes",
        "question_file": "AskedFor QuestionFile read_batch read_expected worth_expected",
        "spaces": "read_delta read_epsilon read_loss read_prior",
    },
)

"""From columns to numbers that learners take."""

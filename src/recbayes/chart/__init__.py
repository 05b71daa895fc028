"""Inside and outside: messages of every span, exact where a span has one derivation, moment-matched where it has many."""

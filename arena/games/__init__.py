"""Games: the interface every game implements, and the two games that are shipped."""

"""A class: submissions in, scheduled rounds against reference bots, a page for each student and grades out.

The folder of a course holds `course.toml` (its settings), `students.json` (who is who: private), `submissions/` (the
newest of each student), `rounds/` and `final/` (frozen bots with their runs), `pages/` (to be put on a web host) and
`grades.csv`. Runs are played under public names, so that neither bots nor readers of a run learn who is who.
"""

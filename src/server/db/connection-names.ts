/**
 * The `application_name` of each kind of connection to the database. Postgres shows it in
 * `pg_stat_activity`, so that servers can be counted and told from other programs.
 */
export const connectionNames = {
  /** The pool of a server, and its migrations at the start. */
  server: 'mayfly',
  /** A backup or a move, which is no server. */
  copy: 'mayfly copy',
} as const

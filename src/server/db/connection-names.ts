/**
 * The `application_name` of each kind of connection to the database. Postgres shows it in
 * `pg_stat_activity`, so that servers can be counted and told from other programs.
 */
export const connectionNames = {
  /** The pool of a server, and its migrations at the start. */
  server: 'mayfly',
  /** The shared session of a server. Each server that may be one of several has exactly one. */
  session: 'mayfly session',
  /** A backup or a move, which is no server. */
  copy: 'mayfly copy',
} as const

/**
 * How long each kind of wait may last. Postgres itself applies `lockMs` and `statementMs`: it
 * cancels the statement and says why. After `idleInTransactionMs` Postgres closes the connection.
 * `answerMs` is for a Postgres or a network that stays silent. Then nobody knows whether the
 * statement ran, and the connection is closed.
 */
export interface PoolLimits {
  connections: number
  /**
   * The number of queries waiting for a connection at which the server refuses new requests
   * (`request-ceiling.ts`).
   */
  waiting: number
  /** How long to wait for a connection, a new one or one from the pool. */
  connectMs: number
  /** How long to wait for a lock that another transaction holds. */
  lockMs: number
  /** How long one statement may take, including its waits for locks. */
  statementMs: number
  /** How long an open transaction may wait for its next statement. */
  idleInTransactionMs: number
  /**
   * How long the driver waits for the answer to a statement. It is longer than `statementMs`, so
   * that Postgres usually cancels the statement first.
   */
  answerMs: number
}

export const poolLimits: PoolLimits = {
  connections: 10,
  // At most 512 downloads and 256 uploads run (`transferLimits`). All of them may begin in the same
  // moment with one query each, and none is refused. Ten connections answer 1,000 such queries
  // within a second, even on two busy cores.
  waiting: 1000,
  connectMs: 5_000,
  lockMs: 10_000,
  statementMs: 25_000,
  idleInTransactionMs: 25_000,
  answerMs: 30_000,
}

/**
 * Traces for OpenTelemetry. A *trace* is what one request caused, and its *spans* are the request
 * itself, its statements in the database and its calls to a bucket.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { S3Client } from '@aws-sdk/client-s3'
import type pg from 'pg'

/** What other parts of the server use to get spans for their work. */
export interface Tracing {
  /** Answers a request within a span. */
  request(request: IncomingMessage, response: ServerResponse, answer: () => void): void
  /** A class of pools whose statements get spans. */
  Pool: typeof pg.Pool
  /** Gives each call of the client a span. */
  watchS3(client: S3Client): void
  /** Sends what has not been sent yet. */
  close(): Promise<void>
}

import type {
  $Command,
  S3Client,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-s3'
import { withTimeout } from '../../timeout.ts'

/** How long the server waits for an answer of the bucket. */
interface S3Wait {
  /**
   * For one try, in milliseconds: from its beginning to the headers of the answer. After that, the
   * client library tries again, over another connection.
   */
  tryMs: number
  /**
   * For the whole answer, in milliseconds: all tries, the pauses between them, and the body. Of an
   * object's bytes, only the headers must have come by then.
   */
  allMs: number
}

/** How long each kind of request may take. */
export interface S3Waits {
  /** Somebody waits for the answer. */
  prompt: S3Wait
  /** The bucket makes one object of up to 10,000 parts. */
  complete: S3Wait
  /** A job lists the whole bucket, and nobody waits for it. */
  patient: S3Wait
}

/**
 * A browser waits 30 s for a call, and the proxy of `deploy/nginx` 130 s. Whoever waits must hear
 * within that time that the bucket does not answer. So `prompt` is shorter than both, and the
 * confirm of an upload, which needs `prompt` and then `complete`, is shorter than the proxy.
 */
export const usualWaits: S3Waits = {
  prompt: { tryMs: 10_000, allMs: 20_000 },
  complete: { tryMs: 60_000, allMs: 60_000 },
  patient: { tryMs: 60_000, allMs: 180_000 },
}

/** Sends a command to the bucket and returns its answer. */
export type Ask = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  options?: { abortSignal?: AbortSignal },
) => Promise<Output>

/** For each kind of request, the function that sends it. */
export type Asks = Readonly<Record<keyof S3Waits, Ask>>

/**
 * Makes the functions that send commands by a client and wait no longer than `waits` says. After
 * that they give the command up and throw a {TimeoutError}. Otherwise they throw what the client
 * throws.
 */
export function asksOf(client: Pick<S3Client, 'send'>, waits: S3Waits): Asks {
  return {
    prompt: askInTime(client, waits.prompt),
    complete: askInTime(client, waits.complete),
    patient: askInTime(client, waits.patient),
  }
}

function askInTime(client: Pick<S3Client, 'send'>, { tryMs, allMs }: S3Wait): Ask {
  return async (command, { abortSignal } = {}) => {
    const stop = new AbortController()
    const signal = abortSignal ? AbortSignal.any([stop.signal, abortSignal]) : stop.signal
    const options = { requestTimeout: tryMs, abortSignal: signal }
    try {
      return await withTimeout(client.send(command, options), allMs)
    } catch (error) {
      // After a success the signal must stay as it is: it would end the body of an object.
      stop.abort()
      throw error
    }
  }
}

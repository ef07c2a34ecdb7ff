import type { ServerResponse } from 'node:http'
import { AppError } from '../../errors.ts'

export const transferDirections = ['download', 'upload'] as const
export type TransferDirection = (typeof transferDirections)[number]

/**
 * How a transfer ended. `cut`: the client left, or a server that closes has ended the connection.
 * `refused`: the client got an `AppError`. `failed`: the disk failed.
 */
export const transferOutcomes = ['complete', 'cut', 'refused', 'failed'] as const
export type TransferOutcome = (typeof transferOutcomes)[number]

/** Is told about the transfers of this server, to count them. */
export interface TransferMeter {
  /** Counts bytes of files that were just received or sent. */
  bytes(direction: TransferDirection, count: number): void
  /** Counts a transfer that has ended. */
  ended(direction: TransferDirection, outcome: TransferOutcome): void
  /** Takes the function that tells how many transfers are running now. */
  running(count: (direction: TransferDirection) => number): void
}

/** Counts nothing. */
export const noMeter: TransferMeter = { bytes() {}, ended() {}, running() {} }

/**
 * What a response says about its connection. A response is also destroyed after all of it was sent.
 */
type Connection = Pick<ServerResponse, 'destroyed' | 'writableFinished'>

/**
 * Does the work of a transfer and tells the meter how it ended.
 * @throws the errors of the work.
 */
export async function metered(
  meter: TransferMeter,
  direction: TransferDirection,
  response: Connection,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
    meter.ended(direction, isCut(response) ? 'cut' : 'complete')
  } catch (error) {
    meter.ended(direction, outcomeOf(error, response))
    throw error
  }
}

function outcomeOf(error: unknown, response: Connection): TransferOutcome {
  if (isCut(response)) return 'cut'
  return error instanceof AppError ? 'refused' : 'failed'
}

function isCut(response: Connection): boolean {
  return response.destroyed && !response.writableFinished
}

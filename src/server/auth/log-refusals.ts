import type { Logger } from 'pino'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { AppError } from '../errors.ts'

const refusals: readonly ErrorCode[] = [
  'INVALID_CREDENTIALS',
  'WRONG_PASSWORD',
  'TOO_MANY_REQUESTS',
]

/**
 * Runs `work`, which compares a password. Each refusal is logged with the client's address, so that
 * a program that reads the log can block the address. The log names no account.
 */
export async function loggingRefusals<Result>(
  { clientAddress, log }: { clientAddress: string; log: Pick<Logger, 'info'> },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && refusals.includes(error.code)) {
      log.info({ client: clientAddress, code: error.code }, 'a password was refused')
    }
    throw error
  }
}

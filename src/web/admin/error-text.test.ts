import { expect, test } from 'vitest'
import { type ErrorCode, errorTable } from '../../shared/contract/errors.ts'
import { ApiError, NetworkError } from '../api/call.ts'
import { errorText } from './error-text.ts'

test('a fault is told in the words of the server, else by what is known of it', () => {
  const told = new ApiError(503, '{}', { message: 'The disk is full.' })
  expect(errorText(told)).toBe('The disk is full.')
  expect(errorText(new NetworkError(null))).toBe('Please check your connection and try again')
  for (const error of [new ApiError(500, 'Internal'), new Error('x'), null]) {
    expect(errorText(error)).toBe('The server gave no reason. See its log.')
  }
})

test('nobody who runs the server is told to write to its support', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { message, status } = errorTable[code]
    expect(errorText(new ApiError(status, '{}', { message, code }))).not.toContain('support')
  }
})

import { describe, expect, it } from 'vitest'
import { withTimeout } from './timeout.ts'

const minuteMs = 60_000

describe('withTimeout', () => {
  it('settles like the work', async () => {
    expect(await withTimeout(Promise.resolve('done'), minuteMs)).toBe('done')
    await expect(withTimeout(Promise.reject(new Error('broken')), minuteMs)).rejects.toThrow(
      'broken',
    )
  })

  it('rejects if the work never settles', async () => {
    await expect(withTimeout(new Promise(() => undefined), 1)).rejects.toThrow(
      'not done within 1 ms',
    )
  })
})

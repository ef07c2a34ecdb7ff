import { describe, expect, test } from 'vitest'
import { isDiskFull } from './disk-full.ts'

function coded(code: string, cause?: unknown) {
  return Object.assign(new Error('failed', { cause }), { code })
}

describe('a disk without room', () => {
  test.each(['ENOSPC', 'EDQUOT', '53100'])(
    'says %s, also as the cause of another error',
    (code) => {
      expect(isDiskFull(coded(code))).toBe(true)
      expect(isDiskFull(new Error('query failed', { cause: coded(code) }))).toBe(true)
      expect(isDiskFull(coded('EIO', coded(code)))).toBe(true)
    },
  )

  test.each([coded('ENOENT'), coded('53300'), new Error('ENOSPC'), null, 'ENOSPC'])(
    'is not what %s says',
    (error) => {
      expect(isDiskFull(error)).toBe(false)
    },
  )
})

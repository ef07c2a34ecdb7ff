import { expect, it } from 'vitest'
import { codeOf, StartFault } from './start-fault.ts'

it.each([
  [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT'],
  [Object.assign(new Error('odd'), { code: 17 }), undefined],
  [new Error('none'), undefined],
  [{ code: 'ENOENT' }, undefined],
  [null, undefined],
])('the code of %s is %s', (error, code) => {
  expect(codeOf(error)).toBe(code)
})

it('keeps what it tells, and why', () => {
  const cause = new Error('the disk')
  const fault = new StartFault('Do this.', { cause })
  expect(fault).toMatchObject({ name: 'StartFault', message: 'Do this.', cause })
})

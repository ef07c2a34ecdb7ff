import { expect, test } from 'vitest'
import { whileWanted } from './while-wanted.ts'

test('something is begun once when it is wanted, ended once when it is not, and begun again', () => {
  const log: string[] = []
  const want = whileWanted(() => {
    log.push('begin')
    return () => log.push('end')
  })
  for (const isWanted of [false, true, true, false, false, true]) want(isWanted)
  expect(log).toEqual(['begin', 'end', 'begin'])
})

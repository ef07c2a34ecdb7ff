// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { fakeFile } from '../../../../tests/support/upload-fixtures.ts'
import { acceptFiles } from './delivery.tsx'

const limit = { maxFileSize: 100 }
const pick = (name: string, size: number) => ({ file: fakeFile(name, size) })

test('only files within the limit are accepted, and the others are named', () => {
  const small = pick('small.txt', 100)
  const large = pick('large.txt', 101)
  expect(acceptFiles({ files: [small], unreadable: [] }, limit)).toEqual({
    accepted: [small],
    error: null,
  })
  expect(acceptFiles({ files: [small, large], unreadable: [] }, limit)).toEqual({
    accepted: [small],
    error: 'large.txt is larger than 100 Bytes.',
  })
  expect(acceptFiles({ files: [large, large], unreadable: [] }, limit).error).toMatch(/^2 files/)
  expect(acceptFiles({ files: [], unreadable: ['secret'] }, limit).error).toMatch(/secret/)
})

import { describe, expect, it } from 'vitest'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import { downloadsLeft } from '../../shared/rules/links/link-status.ts'
import { isOpen, uploadPercent, withoutFile } from './listed-link.ts'

const [morning, noon] = ['2025-07-13T06:00:00.000Z', '2025-07-13T12:00:00.000Z']

describe('a link', () => {
  it('is named by its title, or by its files', () => {
    const files = [linkFile({ name: 'a.txt' }), linkFile({ name: 'b.txt' })]
    expect(listedLink({ files }).name).toBe('a.txt and 1 more')
    expect(listedLink({ files, title: 'Minutes' }).name).toBe('Minutes')
  })

  it('is gone and taken down once all its files are', () => {
    const reason = { takedownReason: 'Malware.' }
    const gone = (at: string) => linkFile({ purgingAt: at, takenDownAt: at, ...reason })
    expect(listedLink({ files: [gone(noon), linkFile()] })).toMatchObject({
      purgingAt: null,
      takenDownAt: null,
      takedownReason: null,
    })
    expect(listedLink({ files: [gone(noon), gone(morning)] })).toMatchObject({
      purgingAt: noon,
      takenDownAt: noon,
      ...reason,
    })
  })

  it('without one of its files is smaller, and may have another name', () => {
    const link = listedLink({
      files: [linkFile({ id: 'a', name: 'a.txt' }), linkFile({ id: 'b', name: 'b.txt', size: 7 })],
    })
    expect(withoutFile(link, 'a')).toMatchObject({ name: 'b.txt', totalSize: 7 })
  })
})

it.each([
  [null, 9, null, true],
  [5, 3, 2, true],
  [5, 5, 0, false],
  [5, 6, 0, false],
])('with the limit %s and %i downloads, %s are left', (maxDownloads, downloadCount, left, open) => {
  const link = listedLink({ maxDownloads, downloadCount })
  expect(downloadsLeft(link)).toBe(left)
  expect(isOpen(link, 'free', new Date(noon))).toBe(open)
})

it('a link is closed once it has expired', () => {
  expect(isOpen(listedLink(), 'premium', new Date('2025-07-15T10:00:00.000Z'))).toBe(false)
})

it.each([
  [[0, 0], 0],
  [[1000, 999], 99],
  [[1000, 1000], 100],
])('of two files, with %j bytes each, %i %% have been uploaded', (received, percent) => {
  const files = received.map((receivedBytes) => linkFile({ state: 'uploading', receivedBytes }))
  expect(uploadPercent(listedLink({ files }))).toBe(percent)
})

it('no bytes of an empty file have been uploaded', () => {
  const files = [linkFile({ size: 0, receivedBytes: 0, state: 'uploading' })]
  expect(uploadPercent(listedLink({ files }))).toBe(0)
})

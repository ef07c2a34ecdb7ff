import { beforeEach, expect, test } from 'vitest'
import { createToastTurns, type ToastTurns } from './toast-turns.ts'

let turns: ToastTurns
/** What shows, and everything that has shown. */
let close: () => void
let shown: string[]

beforeEach(() => {
  shown = []
  turns = createToastTurns(({ title }, onClose) => {
    shown.push(title)
    close = onClose
  })
})
const plain = (title: string) => turns.add({ title })
const failure = (title: string) => turns.add({ title, tone: 'destructive' })

test('a toast takes the place of the one that shows', () => {
  plain('Link copied')
  plain('Upload Complete')
  failure('Upload Failed')
  failure('Copy failed')
  expect(shown).toEqual(['Link copied', 'Upload Complete', 'Upload Failed', 'Copy failed'])
})

test('a failure has its time: the last plain toast that came meanwhile follows it', () => {
  failure('Upload Failed')
  plain('one.txt')
  plain('two.txt')
  expect(shown).toEqual(['Upload Failed'])
  close()
  expect(shown).toEqual(['Upload Failed', 'two.txt'])
  close()
  plain('three.txt')
  expect(shown).toEqual(['Upload Failed', 'two.txt', 'three.txt'])
})

test('what waits for one failure waits for the next one too', () => {
  failure('Upload Failed')
  plain('one.txt')
  failure('Copy failed')
  expect(shown).toEqual(['Upload Failed', 'Copy failed'])
  close()
  expect(shown).toEqual(['Upload Failed', 'Copy failed', 'one.txt'])
})

test('after a failure nothing is held back', () => {
  failure('Upload Failed')
  close()
  plain('one.txt')
  expect(shown).toEqual(['Upload Failed', 'one.txt'])
})

test('where the place for toasts is drawn anew, nothing waits for a failure that went with the old one', () => {
  failure('Upload Failed')
  plain('one.txt')
  turns.reset()
  plain('two.txt')
  expect(shown).toEqual(['Upload Failed', 'two.txt'])
})

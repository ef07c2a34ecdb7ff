import { beforeEach, expect, test } from 'vitest'
import { createToastTurns, type ToastTurns } from './toast-turns.ts'

let turns: ToastTurns
/** Closes the toast that is shown. `shown` lists every toast that was shown. */
let close: () => void
let shown: string[]

beforeEach(() => {
  shown = []
  turns = createToastTurns(({ title }, onClose) => {
    shown.push(title)
    close = onClose
  })
})
function answer(title: string) {
  return turns.add({ title })
}
function news(title: string) {
  return turns.add({ title, tone: 'plain', isNews: true })
}
function failure(title: string) {
  return turns.add({ title, tone: 'destructive' })
}

test('a toast takes the place of the one that shows', () => {
  answer('Link copied')
  news('Upload Complete')
  failure('Upload Failed')
  failure('Copy failed')
  expect(shown).toEqual(['Link copied', 'Upload Complete', 'Upload Failed', 'Copy failed'])
})

test('a failure has its time: the last news that came meanwhile follows it', () => {
  failure('Upload Failed')
  news('one.txt')
  news('two.txt')
  expect(shown).toEqual(['Upload Failed'])
  close()
  expect(shown).toEqual(['Upload Failed', 'two.txt'])
  close()
  news('three.txt')
  expect(shown).toEqual(['Upload Failed', 'two.txt', 'three.txt'])
})

test('what answers a click comes at once, over a failure too', () => {
  failure('Upload Failed')
  answer('Link copied')
  expect(shown).toEqual(['Upload Failed', 'Link copied'])
  close()
  expect(shown).toEqual(['Upload Failed', 'Link copied'])
})

test('news that waited for a failure follows the answer that took its place', () => {
  failure('Upload Failed')
  news('one.txt')
  answer('Link copied')
  expect(shown).toEqual(['Upload Failed', 'Link copied'])
  close()
  expect(shown).toEqual(['Upload Failed', 'Link copied', 'one.txt'])
})

test('older news never follows newer', () => {
  failure('Upload Failed')
  news('one.txt')
  answer('Link copied')
  news('two.txt')
  close()
  expect(shown).toEqual(['Upload Failed', 'Link copied', 'two.txt'])
})

test('news of a failure waits for nothing', () => {
  failure('Upload Failed')
  turns.add({ title: 'Another failed', tone: 'destructive', isNews: true })
  expect(shown).toEqual(['Upload Failed', 'Another failed'])
})

test('what waits for one failure waits for the next one too', () => {
  failure('Upload Failed')
  news('one.txt')
  failure('Copy failed')
  expect(shown).toEqual(['Upload Failed', 'Copy failed'])
  close()
  expect(shown).toEqual(['Upload Failed', 'Copy failed', 'one.txt'])
})

test('after a failure nothing is held back', () => {
  failure('Upload Failed')
  close()
  news('one.txt')
  expect(shown).toEqual(['Upload Failed', 'one.txt'])
})

test('where the place for toasts is drawn anew, nothing waits for a failure that went with the old one', () => {
  failure('Upload Failed')
  news('one.txt')
  turns.reset()
  news('two.txt')
  expect(shown).toEqual(['Upload Failed', 'two.txt'])
})

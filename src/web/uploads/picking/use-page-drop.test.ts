// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Drop, DropItem } from './dropped-files.ts'
import { usePageDrop } from './use-page-drop.ts'

/** Dispatches an event of dragging a file over the page. Returns true if the page took it. */
function drag(type: string): boolean {
  const item: DropItem = { kind: 'file', getAsFile: () => new File(['a'], 'a.txt') }
  const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), {
    dataTransfer: { types: ['Files'], items: [item], dropEffect: 'none' },
  })
  act(() => void document.body.dispatchEvent(event))
  return event.defaultPrevented
}

test('the page shows that files are over it, and gives them to the last listener', async () => {
  const drops: [string, Drop][] = []
  const { result, rerender, unmount } = renderHook(
    (name: string) => usePageDrop((drop) => drops.push([name, drop])),
    { initialProps: 'first' },
  )
  expect(result.current).toBe(false)
  drag('dragenter')
  expect(result.current).toBe(true)
  rerender('last')
  expect(result.current).toBe(true)
  expect(drag('drop')).toBe(true)
  expect(result.current).toBe(false)
  await expect.poll(() => drops.map(([name]) => name)).toEqual(['last'])
  unmount()
  expect(drag('drop')).toBe(false)
})

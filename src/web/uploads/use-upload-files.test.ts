// @vitest-environment happy-dom
import '../../../tests/support/loaded-toasts.ts'
import { act, cleanup, render, renderHook } from '@testing-library/react'
import { createElement } from 'react'
import { afterEach, expect, test } from 'vitest'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { defaultLimits, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { Toaster } from '../ui/toast.tsx'
import type { PickedFile } from './picking/picked-file.ts'
import type { UploadsState, UploadsStore } from './uploads-state.ts'
import { useUploadFiles } from './use-upload-files.ts'

afterEach(cleanup)

/** Creates a file that reports this size without having content. */
function makeFile(name: string, size: number): PickedFile {
  return { file: Object.defineProperty(new File([], name), 'size', { value: size }) }
}

function renderUploads(tier: Tier, limits: Limits = defaultLimits) {
  const addCalls: Parameters<UploadsState['add']>[] = []
  const add: UploadsState['add'] = (...args) => void addCalls.push(args)
  const store = { getState: () => ({ add }) } as unknown as UploadsStore
  const hook = renderHook(({ tier }) => useUploadFiles(store, tier, limits), {
    initialProps: { tier },
  })
  return {
    addCalls,
    hook: () => hook.result.current,
    become: (tier: Tier) => hook.rerender({ tier }),
  }
}

const smallFile = makeFile('small.txt', 1)
const each = { isOneLink: false }

test.each(['free', 'premium'] as const)(
  'an oversized file is skipped on the %s tier, and the others are uploaded',
  (tier) => {
    const { addCalls, hook } = renderUploads(tier)
    const largestFile = makeFile('largest.iso', defaultLimits[tier].maxFileSize)
    const tooLargeFile = makeFile('large.iso', defaultLimits[tier].maxFileSize + 1)
    act(() => void hook().start([smallFile, tooLargeFile, largestFile], 3, each))
    expect(addCalls).toEqual([[[smallFile, largestFile], 3, undefined]])
    expect(hook().skippedFiles).toEqual([tooLargeFile.file])
  },
)

test('skipped files are listed until they are dismissed or the next upload starts', () => {
  const { addCalls, hook } = renderUploads('free')
  const tooLargeFile = makeFile('large.iso', defaultLimits.free.maxFileSize + 1)
  act(() => void hook().start([tooLargeFile], 3, each))
  expect(addCalls).toEqual([])
  act(() => hook().dismissSkippedFiles())
  expect(hook().skippedFiles).toEqual([])
  act(() => void hook().start([tooLargeFile], 3, each))
  act(() => void hook().start([smallFile], 3, each))
  expect(hook().skippedFiles).toEqual([])
  expect(addCalls).toHaveLength(1)
})

test('skipped files that an upgrade allows are uploaded once', () => {
  const { addCalls, hook, become } = renderUploads('free')
  const premiumSizedFile = makeFile('large.iso', defaultLimits.free.maxFileSize + 1)
  const oversizedFile = makeFile('larger.iso', defaultLimits.premium.maxFileSize + 1)
  act(() => void hook().start([premiumSizedFile, oversizedFile], 3, each))
  expect(addCalls).toEqual([])
  become('premium')
  expect(addCalls).toEqual([[[premiumSizedFile], 3, undefined]])
  expect(hook().skippedFiles).toEqual([oversizedFile.file])
  become('free')
  become('premium')
  expect(addCalls).toHaveLength(1)
})

test.each([
  ['free', 1],
  ['premium', 0],
] as const)('number of upgrade toasts on the %s tier: %d', (tier, toastCount) => {
  render(createElement(Toaster))
  const { hook } = renderUploads(tier)
  act(
    () => void hook().start([makeFile('large.iso', defaultLimits[tier].maxFileSize + 1)], 3, each),
  )
  const text = 'File upload failed - upgrade to Premium for 1GB files and unlimited uploads'
  expect(document.body.textContent.split(text)).toHaveLength(1 + toastCount)
})

test('custom limits are applied and shown in the toast', () => {
  render(createElement(Toaster))
  const premiumLimits = { ...defaultLimits.premium, maxFiles: 50, maxFileSize: 20 * 1024 ** 2 }
  const freeLimits = { ...defaultLimits.free, maxFileSize: 10 }
  const { addCalls, hook } = renderUploads('free', {
    free: freeLimits,
    premium: premiumLimits,
  })
  act(() => void hook().start([makeFile('ten.txt', 10), makeFile('eleven.txt', 11)], 3, each))
  expect(addCalls.map(([files]) => files.map(({ file }) => file.name))).toEqual([['ten.txt']])
  const text = 'File upload failed - upgrade to Premium for 20MB files and 50 files'
  expect(document.body.textContent).toContain(text)
})

test("an upgrade without a larger file size isn't offered", () => {
  render(createElement(Toaster))
  const { maxFileSize } = defaultLimits.premium
  const freeLimits = { ...defaultLimits.free, maxFileSize }
  const { hook } = renderUploads('free', { ...defaultLimits, free: freeLimits })
  act(() => void hook().start([makeFile('large.iso', maxFileSize + 1)], 3, each))
  expect(hook().skippedFiles).toHaveLength(1)
  expect(document.body.textContent).not.toContain('upgrade to')
})

test('several files share a link if the user wants that, and so does a file with options', () => {
  const { addCalls, hook } = renderUploads('premium')
  const options = { title: 'Trip' }
  act(() => void hook().start([smallFile, smallFile], 3, { isOneLink: true }))
  act(() => void hook().start([smallFile], 3, { isOneLink: true }))
  act(() => void hook().start([smallFile], 3, { isOneLink: true, options }))
  expect(addCalls.map(([, , link]) => link)).toEqual([{}, undefined, options])
})

test('more files than a link holds are refused before anything starts', () => {
  render(createElement(Toaster))
  const { addCalls, hook } = renderUploads('premium')
  const files = Array.from({ length: 1001 }, () => smallFile)
  act(() => expect(hook().start(files, 3, { isOneLink: true })).toBe(false))
  expect(addCalls).toEqual([])
  expect(document.body.textContent).toContain('A link has 1,000 files at most.')
  act(() => expect(hook().start(files, 3, each)).toBe(true))
  expect(addCalls).toHaveLength(1)
})

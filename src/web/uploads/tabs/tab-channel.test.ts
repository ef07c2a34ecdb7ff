import { afterEach, expect, test, vi } from 'vitest'
import type { TabChannel } from '../upload-ports.ts'
import { openBroadcast } from './tab-channel.ts'

type Message = { text: string; bytes?: Uint8Array }

const channels: TabChannel<Message>[] = []
/** Opens a tab that notes the messages it receives. */
function openTab(name: string) {
  const heard: Message[] = []
  const channel = openBroadcast<Message>(name)((message) => heard.push(message))
  channels.push(channel)
  return { ...channel, heard }
}

afterEach(() => {
  for (const channel of channels.splice(0)) channel.close()
  vi.unstubAllGlobals()
})

test('each message goes to every other tab of the channel, and not back', async () => {
  const [one, two, three] = [openTab('a'), openTab('a'), openTab('a')]
  const other = openTab('b')
  one.post({ text: 'hello', bytes: new Uint8Array([1, 2]) })
  await expect.poll(() => [two.heard.length, three.heard.length]).toEqual([1, 1])
  expect(two.heard).toEqual([{ text: 'hello', bytes: new Uint8Array([1, 2]) }])
  expect([one.heard, other.heard]).toEqual([[], []])
})

test('a tab that has closed its channel hears nothing any more', async () => {
  const [one, two, three] = [openTab('a'), openTab('a'), openTab('a')]
  two.close()
  one.post({ text: 'hello' })
  await expect.poll(() => three.heard).toHaveLength(1)
  expect(two.heard).toEqual([])
})

test('a browser without channels sends nothing, and nothing fails', () => {
  vi.stubGlobal('BroadcastChannel', undefined)
  const tab = openTab('a')
  tab.post({ text: 'hello' })
  tab.close()
  expect(tab.heard).toEqual([])
})

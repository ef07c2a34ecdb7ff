import type { OpenChannel } from '../upload-ports.ts'

/**
 * The number goes up whenever messages change, because a tab of an older version would misread
 * them.
 */
const channelName = 'mayfly-uploads-2'

/**
 * Makes the channel between the tabs of this browser. It carries all data that can be cloned,
 * including files and handles. Where the browser has no such channel, nothing is sent.
 */
export function openBroadcast<Message>(name = channelName): OpenChannel<Message> {
  return (onMessage) => {
    if (typeof BroadcastChannel === 'undefined') return { post: () => {}, close: () => {} }
    const channel = new BroadcastChannel(name)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => onMessage(data))
    return {
      post: (message) => channel.postMessage(message),
      close: () => channel.close(),
    }
  }
}

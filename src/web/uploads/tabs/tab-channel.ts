import type { OpenChannel } from '../upload-ports.ts'

/** The number goes up whenever messages change: a tab of an older version would misread them. */
const channelName = 'mayfly-uploads-2'

/**
 * A channel between the tabs of this browser that carries whatever can be cloned, File objects and file
 * handles too. Where the browser has none, nothing is sent: such a tab is alone.
 */
export const openBroadcast =
  <Message>(name = channelName): OpenChannel<Message> =>
  (onMessage) => {
    if (typeof BroadcastChannel === 'undefined') return { post: () => {}, close: () => {} }
    const channel = new BroadcastChannel(name)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => onMessage(data))
    return {
      post: (message) => channel.postMessage(message),
      close: () => channel.close(),
    }
  }

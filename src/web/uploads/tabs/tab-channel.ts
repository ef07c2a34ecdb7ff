import type { OpenChannel } from '../upload-ports.ts'

/**
 * The name of the channel. Its number must go up whenever the messages change, because a tab that
 * runs an older version would misread them.
 */
const channelName = 'mayfly-uploads-3'

/**
 * Makes the channel between the tabs of this browser. It carries all data that can be cloned,
 * including files and file handles. If the browser has no BroadcastChannel, nothing is sent.
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

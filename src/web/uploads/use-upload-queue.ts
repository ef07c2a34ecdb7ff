import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useStore } from 'zustand'
import { createBrowserEffects } from './browser-effects.ts'
import { createUploadQueue, type UploadQueue, type UploadQueueState } from './upload-queue.ts'

let queues: WeakMap<QueryClient, UploadQueue> | undefined

/** The queue lives as long as the application does, so that uploads outlive the screen that began them. */
const queueOf = (client: QueryClient): UploadQueue => {
  queues ??= new WeakMap()
  const known = queues.get(client)
  if (known) return known
  const queue = createUploadQueue(createBrowserEffects(client))
  queues.set(client, queue)
  return queue
}

/** What `select` takes of the application's upload queue; renders again when that changes. */
export const useUploadQueue = <Selected>(select: (state: UploadQueueState) => Selected): Selected =>
  useStore(queueOf(useQueryClient()), select)

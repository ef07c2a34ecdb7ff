/** Reads and hashes files in a separate thread to keep the page responsive. */
import { createJobHandler, type WorkerRequest } from './checksum-messages.ts'

const handle = createJobHandler((message) => self.postMessage(message))
self.addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => void handle(data))

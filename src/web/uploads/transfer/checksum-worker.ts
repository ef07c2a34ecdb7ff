/** Reads and hashes files in a separate thread to keep the page responsive. */
import { answerJobs, type ToWorker } from './checksum-messages.ts'

const response = answerJobs((message) => self.postMessage(message))
self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void response(data))

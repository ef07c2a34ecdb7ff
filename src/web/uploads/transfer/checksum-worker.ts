/** This worker reads and hashes files in its own thread, so that the page does not wait. */
import { answerJobs, type ToWorker } from './checksum-messages.ts'

const answer = answerJobs((message) => self.postMessage(message))
self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void answer(data))

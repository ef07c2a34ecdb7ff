/** A worker: reads and hashes files where the page does not have to wait for it. */
import { answerJobs, type ToWorker } from './checksum-messages.ts'

const answer = answerJobs((message) => self.postMessage(message))
self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void answer(data))

import { describePutFile } from './support/put-file.suite.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'

describeOnS3('with a bucket', () => {
  describePutFile('a bucket', async () => ({ env: (await makeBucket()).env }))
})

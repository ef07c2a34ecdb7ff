import { describeOnS3, makeBucket } from '../../../tests/support/s3.ts'
import { openS3Storage } from './s3.ts'
import { storageSuite } from './storage.suite.ts'

describeOnS3('S3', () => {
  storageSuite('s3', async () => {
    const { settings } = await makeBucket()
    const storage = openS3Storage({ settings, clock: () => new Date() })
    return { storage, endUpload: () => undefined, close: () => storage.close() }
  })
})

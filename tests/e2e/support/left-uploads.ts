import type { Page } from '@playwright/test'
import { recordKeyPrefix } from '../../../src/web/uploads/records/record-key.ts'
import type { UploadRecord } from '../../../src/web/uploads/records/upload-record.ts'
import { longName } from './file-screens.ts'

const lectureUpload: UploadRecord = {
  id: '1',
  ownerId: '',
  batch: 'one drop',
  path: 'background',
  fileName: 'lecture-07.mp4',
  fileSize: 812 * 1024 ** 2,
  fileType: 'video/mp4',
  identity: { name: 'lecture-07.mp4', size: 812 * 1024 ** 2, lastModified: 0 },
  pasted: false,
  expirationDays: 3,
  ticket: null,
  restarted: false,
  uploadStartTime: null,
  progress: 31,
  uploadedBytes: 251 * 1024 ** 2,
  status: 'paused',
  need: 'file',
  lastActivity: 0,
  error: null,
}

/** Writes upload records in various states to localStorage, as if left by an earlier page load. */
export async function storeUploadRecords(page: Page, ownerId: string) {
  const records: UploadRecord[] = [
    { ...lectureUpload },
    { ...lectureUpload, id: '2', fileName: longName, need: 'sign-in' },
    {
      ...lectureUpload,
      id: '3',
      status: 'failed',
      need: null,
      error: 'Upload failed with status 403',
    },
    {
      ...lectureUpload,
      id: '4',
      fileName: 'تقرير الاجتماع الأول.docx',
      fileSize: 0,
      status: 'completed',
      need: null,
      progress: 100,
      uploadedBytes: 0,
    },
    // A pasted file can't be chosen again, so the page discards this upload when it loads.
    {
      ...lectureUpload,
      id: '5',
      fileName: 'image.png',
      status: 'uploading',
      need: null,
      pasted: true,
    },
  ]
  const entries = records.map((record) => [
    recordKeyPrefix + record.id,
    JSON.stringify({ ...record, ownerId, lastActivity: Date.now() - 10_000 }),
  ])
  await page.goto('/robots.txt')
  await page.evaluate((entries) => {
    for (const [key = '', recordJson = ''] of entries) localStorage.setItem(key, recordJson)
    localStorage.setItem('mayfly-uploads-panel', 'open')
  }, entries)
}

import type { Page } from '@playwright/test'
import { recordKeyPrefix } from '../../../src/web/uploads/records/record-key.ts'
import type { UploadRecord } from '../../../src/web/uploads/records/upload-record.ts'
import { longName } from './file-screens.ts'

const lecture: UploadRecord = {
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

/** Writes upload records in different states to localStorage, as left by an earlier page load. */
export async function leaveUploads(page: Page, ownerId: string) {
  const records: UploadRecord[] = [
    { ...lecture },
    { ...lecture, id: '2', fileName: longName, need: 'sign-in' },
    { ...lecture, id: '3', status: 'failed', need: null, error: 'Upload failed with status 403' },
    {
      ...lecture,
      id: '4',
      fileName: 'تقرير الاجتماع الأول.docx',
      fileSize: 0,
      status: 'completed',
      need: null,
      progress: 100,
      uploadedBytes: 0,
    },
    // A pasted file can't be chosen again, so the page drops this upload when it opens.
    { ...lecture, id: '5', fileName: 'image.png', status: 'uploading', need: null, pasted: true },
  ]
  const kept = records.map((record) => [
    recordKeyPrefix + record.id,
    JSON.stringify({ ...record, ownerId, lastActivity: Date.now() - 10_000 }),
  ])
  await page.goto('/robots.txt')
  await page.evaluate((kept) => {
    for (const [key = '', record = ''] of kept) localStorage.setItem(key, record)
    localStorage.setItem('mayfly-uploads-panel', 'open')
  }, kept)
}

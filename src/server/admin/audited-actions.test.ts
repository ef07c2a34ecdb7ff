import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestUserDeletion } from '../../../tests/support/admin-requests.ts'
import { makeRequest } from '../../../tests/support/file-requests.ts'
import { makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { listReports, reportLink, takeDown } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Endpoint } from '../../shared/contract/endpoint.ts'
import { type EndpointName, endpoints } from '../../shared/contract/index.ts'
import type { AuditAction } from '../../shared/rules/accounts/audit-action.ts'
import { computeDigests } from '../abuse/compute-digests.ts'
import { auditLog, feedback } from '../db/schema.ts'

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(() => app.close())

/**
 * For each administrator endpoint that changes something, the action that it must log and a request
 * to it.
 */
const auditedActions: Partial<Record<EndpointName, [AuditAction, () => Promise<Response>]>> = {
  makeUser: [
    'make-user',
    () => {
      const names = { firstName: 'Grace', lastName: 'Hopper' }
      const body = { ...names, email: 'grace@navy.example', password: 'correct horse' }
      return admin.post('/api/admin/users', body)
    },
  ],
  deleteUser: [
    'delete-user',
    async () => {
      const { id, email } = await makePerson(app)
      return requestUserDeletion(admin, id, { email })
    },
  ],
  toggleUserTier: [
    'set-tier',
    async () => admin.post(`/api/admin/toggle-user-tier/${(await makePerson(app)).id}`),
  ],
  changeSetting: [
    'change-setting',
    () => admin.post('/api/admin/settings', { key: 'premium_price', value: '9' }),
  ],
  cleanUpExpired: ['clean-up-expired', () => admin.post('/api/admin/cleanup-expired')],
  sanitizeFileNames: ['sanitize-file-names', () => admin.post('/api/admin/sanitize-filenames')],
  expireFiles: ['expire-files', () => admin.post('/api/admin/expire-files')],
  expireTrials: ['expire-trials', () => admin.post('/api/admin/expire-trials')],
  testStorage: ['test-storage', () => admin.fetch('/api/admin/test-s3-connection')],
  testStorageUpload: [
    'test-storage-upload',
    () => {
      const body = { fileName: 'test.bin', fileSize: 3, fileType: 'text/plain' }
      return admin.post('/api/admin/test-s3-upload', body)
    },
  ],
  testMail: ['test-mail', () => admin.post('/api/test-email')],
  deleteFeedback: [
    'delete-feedback',
    async () => {
      const names = { name: 'Ada', email: 'ada@example.org' }
      const [row] = await app.deps.db
        .insert(feedback)
        .values({ ...names, message: 'Thanks.', isSuspect: false, createdAt: app.clock() })
        .returning({ id: feedback.id })
      return admin.fetch(`/api/admin/feedback/${row?.id}`, { method: 'DELETE' })
    },
  ],
  takeDown: [
    'take-down',
    async () => {
      const { shortCode } = await makeFile(await makePerson(app))
      await computeDigests(app.deps)
      return takeDown(admin, shortCode)
    },
  ],
  dismissReport: [
    'dismiss-report',
    async () => {
      const file = await makeFile(await makePerson(app))
      await reportLink(admin, file.shortCode)
      const [openReport] = await listReports(admin)
      return admin.post(`/api/admin/reports/${openReport?.id}/dismiss`)
    },
  ],
  closeAnyRequest: [
    'close-request',
    async () => {
      const { id } = await makeRequest(await makePerson(app))
      return admin.post(`/api/admin/requests/${id}/close`)
    },
  ],
}

/**
 * True if calls to the endpoint must be audited. `testStorage` is included because it writes to
 * storage, even though it is a GET.
 */
function isAudited(name: EndpointName): boolean {
  const { access, method }: Endpoint = endpoints[name]
  return access === 'admin' && (method !== 'GET' || name === 'testStorage')
}

const names = (Object.keys(endpoints) as EndpointName[]).filter(isAudited)

describe('the audit log', () => {
  it.each(names)('records %s with the administrator and the IP address', async (name) => {
    const [action, performAction] = auditedActions[name] ?? []
    if (!performAction)
      throw new Error(`Add the call of ${name} and its audit action to this table.`)
    const entryCountBefore = await app.deps.db.$count(auditLog)
    const response = await performAction()
    expect([response.status, await response.text()]).toEqual([200, expect.anything()])
    const lines = await app.deps.db
      .select()
      .from(auditLog)
      .orderBy(auditLog.id)
      .offset(entryCountBefore)
    expect(lines).toMatchObject([{ action, actor: admin.id, ipAddress: '127.0.0.1' }])
  })
})

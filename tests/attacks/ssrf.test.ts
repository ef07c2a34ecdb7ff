import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { smtpMailer } from '../../src/server/email/smtp.ts'
import { jobs } from '../../src/server/jobs/jobs.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { putBrand, putLogo } from '../support/brands.ts'
import { type Client, makeClient, makeFile, makePerson, type Person } from '../support/make.ts'
import { flatPng } from '../support/pictures.ts'
import { send } from '../support/send.ts'
import { newAddress, signUp } from '../support/signup.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { requestUpload } from '../support/upload-requests.ts'

/*
 * The attack (SSRF): put an address of the server's network into everything a user can send, hoping
 * that the server requests it. A listener records every connection.
 */

let app: TestApp
let owner: Person
let visitor: Client
let mails: TestSmtpServer
/** The first line received on each connection. */
const visits: string[] = []
let listening: string
const listener = createServer((socket) => {
  const at = visits.push('a connection without a word') - 1
  socket.on('error', () => undefined)
  socket.once('data', (bytes) => {
    visits[at] = bytes.toString().split('\r\n', 1)[0] ?? ''
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok')
  })
})

beforeAll(async () => {
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  listening = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  mails = await startSmtpServer()
  app = await startTestApp()
  app.deps.mailer = smtpMailer({ url: mails.url, from: 'support@mayfly.example' })
  owner = await makePerson(app, { tier: 'premium' })
  visitor = makeClient(app)
})
afterAll(async () => {
  app.deps.mailer.close()
  await app.close()
  await mails.close()
  listener.close()
})

/** Returns a URL of the listener whose path names the field it was put in. */
function lure(name: string): string {
  return `http://${listening}/${name}`
}

/**
 * Asserts that nothing sent so far made the server connect to the listener. Runs deferred work
 * first: emails and every job. The last connection is the test's own, so any earlier one would be
 * listed before it.
 */
async function expectNoVisit() {
  await app.mails()
  for (const { run } of jobs) await run(app.deps)
  await fetch(lure('ours'))
  expect(visits.splice(0)).toEqual(['GET /ours HTTP/1.1'])
}

it.each<[string, () => Buffer | Promise<Buffer>]>([
  [
    'an SVG with external images, styles and entities',
    () =>
      Buffer.from(`<?xml version="1.0"?><?xml-stylesheet href="${lure('style')}"?>
        <!DOCTYPE svg SYSTEM "${lure('dtd')}" [<!ENTITY x SYSTEM "${lure('entity')}">]>
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
          width="9" height="9"><image xlink:href="${lure('image')}" width="9" height="9"/>
          <use href="${lure('use')}#a"/><text>&x;</text></svg>`),
  ],
  ['a playlist', () => Buffer.from(`#EXTM3U\n#EXTINF:1,\n${lure('playlist')}\n`)],
  ['a bare URL', () => Buffer.from(lure('address'))],
])('rejects %s as a logo without fetching anything', async (_, make) => {
  const response = await putLogo(owner, await make())
  expect(response.status).toBe(400)
  await expectNoVisit()
})

it.each(['png', 'jpeg', 'webp'] as const)(
  'fetches nothing named in the metadata of a %s',
  async (format) => {
    const picture = await sharp(await flatPng({ width: 40, height: 20 }))
      .withExif({ IFD0: { ImageDescription: lure('exif'), Copyright: lure('copyright') } })
      .withXmp(
        `<x:xmpmeta xmlns:x="adobe:ns:meta/" xmlns:stRef="${lure('namespace')}">
          <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="${lure('about')}" rdf:resource="${lure('resource')}"/>
          </rdf:RDF></x:xmpmeta>`,
      )
      .toFormat(format)
      .toBuffer()
    expect(String((await sharp(picture).metadata()).xmp)).toContain(lure('resource'))
    expect((await putLogo(owner, picture)).status).toBe(200)
    await expectNoVisit()
  },
)

it('fetches nothing named in a brand, nor when rendering its page', async () => {
  const brand = { name: lure('brand'), message: `<img src="${lure('message')}">`, accent: null }
  expect((await putBrand(owner, brand)).status).toBe(200)
  const file = await makeFile(owner)
  for (const accept of ['text/html', '*/*']) {
    const headers = { accept, 'user-agent': `Slackbot-LinkExpanding 1.0 (+${lure('robot')})` }
    expect((await visitor.fetch(`/s/${file.shortCode}`, { headers })).status).toBe(200)
  }
  await expectNoVisit()
})

it('fetches nothing named in a file or a report', async () => {
  const bytes = new TextEncoder().encode(`<html><link rel="icon" href="${lure('bytes')}"></html>`)
  const file: File = await makeFile(owner, { name: lure('name'), type: 'text/html', bytes })
  await requestUpload(owner, { idempotencyKey: lure('key') })
  await requestUpload(owner, { fileType: `text/html; x="${lure('type')}"` })
  const response = await owner.fetch('/api/preferences', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mailOnFirstDownload: true }),
  })
  expect(response.status).toBe(200)
  await visitor.fetch(`/api/download/${file.shortCode}?url=${lure('query')}`)
  const report = { reason: `See ${lure('reason')}`, email: `a@[${listening.split(':')[0]}]` }
  await visitor.post(`/api/links/${file.shortCode}/report`, { ...report, email: null })
  await visitor.post(`/api/links/${file.shortCode}/report`, report)
  await expectNoVisit()
  expect(mails.received.length).toBeGreaterThan(0)
})

it('fetches nothing named in a signup', async () => {
  const before = mails.received.length
  const email = newAddress()
  const names = { firstName: lure('first'), lastName: `<img src="${lure('last')}">` }
  const response = await signUp(visitor, { email, ...names }, lure('browser'))
  expect(response.status).toBe(200)
  await signUp(visitor, { email: `"${lure('local')}"@${listening.split(':')[0]}` })
  await visitor.post('/api/auth/forgot-password', { email })
  await expectNoVisit()
  expect(mails.received.length).toBeGreaterThan(before)
})

it('fetches nothing named in feedback', async () => {
  const before = mails.received.length
  const typed = { name: lure('name'), email: `${lure('email')}@x`, website: '' }
  const sent = await visitor.post('/api/feedback', {
    ...typed,
    message: `<link rel="stylesheet" href="${lure('style')}">\n{"path":"${lure('path')}"}`,
  })
  expect(sent.status).toBe(200)
  await expectNoVisit()
  expect(mails.received.length).toBeGreaterThan(before)
})

it('fetches nothing named in request headers or targets', async () => {
  for (const path of [
    lure('target'),
    `//${listening}/`,
    `/api/login?next=${lure('next')}`,
    `/s/${encodeURIComponent(lure('code'))}`,
    `/storage/${encodeURIComponent(lure('key'))}`,
    `/assets/${lure('asset')}`,
  ]) {
    await send(app.url, {
      path,
      headers: {
        referer: lure('referer'),
        'x-forwarded-host': listening,
        'x-original-url': lure('original'),
        forwarded: `for=${listening};host=${listening}`,
        via: `1.1 ${listening}`,
        link: `<${lure('link')}>; rel=preload`,
      },
    })
  }
  await send(app.url, { headers: { host: listening } })
  await send(app.url, { method: 'CONNECT', path: listening }).catch(() => undefined)
  await expectNoVisit()
})

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSmtpMailer } from '../../src/server/email/smtp.ts'
import { jobs } from '../../src/server/jobs/jobs.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { putBrand, putLogo } from '../support/brands.ts'
import { type Client, makeClient, makeFile, makePerson, type Person } from '../support/make.ts'
import { makeSolidPng } from '../support/pictures.ts'
import { send } from '../support/send.ts'
import { makeAddress, signUp } from '../support/signup.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { requestUpload } from '../support/upload-requests.ts'

/*
 * The attack (SSRF): fill every field that a user can send with an address inside the server's
 * network, hoping that the server requests it. A listener records every connection.
 */

let app: TestApp
let owner: Person
let visitor: Client
let smtpServer: TestSmtpServer
/** The first line that the listener received on each connection. */
const requestLines: string[] = []
let listenerAddress: string
const listenerServer = createServer((socket) => {
  const lineIndex = requestLines.push('a connection without a word') - 1
  socket.on('error', () => undefined)
  socket.once('data', (bytes) => {
    requestLines[lineIndex] = bytes.toString().split('\r\n', 1)[0] ?? ''
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok')
  })
})

beforeAll(async () => {
  listenerServer.listen(0, '127.0.0.1')
  await once(listenerServer, 'listening')
  listenerAddress = `127.0.0.1:${(listenerServer.address() as AddressInfo).port}`
  smtpServer = await startSmtpServer()
  app = await startTestApp()
  app.deps.mailer = createSmtpMailer({ url: smtpServer.url, from: 'support@mayfly.example' })
  owner = await makePerson(app, { tier: 'premium' })
  visitor = makeClient(app)
})
afterAll(async () => {
  app.deps.mailer.close()
  await app.close()
  await smtpServer.close()
  listenerServer.close()
})

/** Returns a URL that points to the listener. Its path says which field contained the URL. */
function makeLureUrl(name: string): string {
  return `http://${listenerAddress}/${name}`
}

/**
 * Asserts that nothing sent so far has made the server connect to the listener, not even through
 * queued emails and jobs. The test itself connects last, so any earlier connection would be listed
 * first.
 */
async function expectNoConnection() {
  await app.sendQueuedEmails()
  for (const { run } of jobs) await run(app.deps)
  await fetch(makeLureUrl('ours'))
  expect(requestLines.splice(0)).toEqual(['GET /ours HTTP/1.1'])
}

it.each<[string, () => Buffer | Promise<Buffer>]>([
  [
    'an SVG with external images, styles and entities',
    () =>
      Buffer.from(`<?xml version="1.0"?><?xml-stylesheet href="${makeLureUrl('style')}"?>
        <!DOCTYPE svg SYSTEM "${makeLureUrl('dtd')}" [<!ENTITY x SYSTEM "${makeLureUrl('entity')}">]>
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
          width="9" height="9"><image xlink:href="${makeLureUrl('image')}" width="9" height="9"/>
          <use href="${makeLureUrl('use')}#a"/><text>&x;</text></svg>`),
  ],
  ['a playlist', () => Buffer.from(`#EXTM3U\n#EXTINF:1,\n${makeLureUrl('playlist')}\n`)],
  ['a bare URL', () => Buffer.from(makeLureUrl('address'))],
])('rejects %s as a logo without fetching anything', async (_, makeLogo) => {
  const response = await putLogo(owner, await makeLogo())
  expect(response.status).toBe(400)
  await expectNoConnection()
})

it.each(['png', 'jpeg', 'webp'] as const)(
  'fetches nothing named in the metadata of a %s',
  async (format) => {
    const picture = await sharp(await makeSolidPng({ width: 40, height: 20 }))
      .withExif({
        IFD0: { ImageDescription: makeLureUrl('exif'), Copyright: makeLureUrl('copyright') },
      })
      .withXmp(
        `<x:xmpmeta xmlns:x="adobe:ns:meta/" xmlns:stRef="${makeLureUrl('namespace')}">
          <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="${makeLureUrl('about')}" rdf:resource="${makeLureUrl('resource')}"/>
          </rdf:RDF></x:xmpmeta>`,
      )
      .toFormat(format)
      .toBuffer()
    expect(String((await sharp(picture).metadata()).xmp)).toContain(makeLureUrl('resource'))
    expect((await putLogo(owner, picture)).status).toBe(200)
    await expectNoConnection()
  },
)

it('fetches nothing named in a brand, nor when rendering its page', async () => {
  const brand = {
    name: makeLureUrl('brand'),
    message: `<img src="${makeLureUrl('message')}">`,
    accent: null,
  }
  expect((await putBrand(owner, brand)).status).toBe(200)
  const file = await makeFile(owner)
  for (const accept of ['text/html', '*/*']) {
    const headers = {
      accept,
      'user-agent': `Slackbot-LinkExpanding 1.0 (+${makeLureUrl('robot')})`,
    }
    expect((await visitor.fetch(`/s/${file.shortCode}`, { headers })).status).toBe(200)
  }
  await expectNoConnection()
})

it('fetches nothing named in a file or a report', async () => {
  const bytes = new TextEncoder().encode(
    `<html><link rel="icon" href="${makeLureUrl('bytes')}"></html>`,
  )
  const file: File = await makeFile(owner, { name: makeLureUrl('name'), type: 'text/html', bytes })
  await requestUpload(owner, { idempotencyKey: makeLureUrl('key') })
  await requestUpload(owner, { fileType: `text/html; x="${makeLureUrl('type')}"` })
  const response = await owner.fetch('/api/preferences', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mailOnFirstDownload: true }),
  })
  expect(response.status).toBe(200)
  await visitor.fetch(`/api/download/${file.shortCode}?url=${makeLureUrl('query')}`)
  const report = {
    reason: `See ${makeLureUrl('reason')}`,
    email: `a@[${listenerAddress.split(':')[0]}]`,
  }
  await visitor.post(`/api/links/${file.shortCode}/report`, { ...report, email: null })
  await visitor.post(`/api/links/${file.shortCode}/report`, report)
  await expectNoConnection()
  expect(smtpServer.received.length).toBeGreaterThan(0)
})

it('fetches nothing named in a signup', async () => {
  const emailCountBefore = smtpServer.received.length
  const email = makeAddress()
  const names = { firstName: makeLureUrl('first'), lastName: `<img src="${makeLureUrl('last')}">` }
  const response = await signUp(visitor, { email, ...names }, makeLureUrl('browser'))
  expect(response.status).toBe(200)
  await signUp(visitor, { email: `"${makeLureUrl('local')}"@${listenerAddress.split(':')[0]}` })
  await visitor.post('/api/auth/forgot-password', { email })
  await expectNoConnection()
  expect(smtpServer.received.length).toBeGreaterThan(emailCountBefore)
})

it('fetches nothing named in feedback', async () => {
  const emailCountBefore = smtpServer.received.length
  const feedback = { name: makeLureUrl('name'), email: `${makeLureUrl('email')}@x`, website: '' }
  const response = await visitor.post('/api/feedback', {
    ...feedback,
    message: `<link rel="stylesheet" href="${makeLureUrl('style')}">\n{"path":"${makeLureUrl('path')}"}`,
  })
  expect(response.status).toBe(200)
  await expectNoConnection()
  expect(smtpServer.received.length).toBeGreaterThan(emailCountBefore)
})

it('fetches nothing named in request headers or targets', async () => {
  for (const path of [
    makeLureUrl('target'),
    `//${listenerAddress}/`,
    `/api/login?next=${makeLureUrl('next')}`,
    `/s/${encodeURIComponent(makeLureUrl('code'))}`,
    `/storage/${encodeURIComponent(makeLureUrl('key'))}`,
    `/assets/${makeLureUrl('asset')}`,
  ]) {
    await send(app.url, {
      path,
      headers: {
        referer: makeLureUrl('referer'),
        'x-forwarded-host': listenerAddress,
        'x-original-url': makeLureUrl('original'),
        forwarded: `for=${listenerAddress};host=${listenerAddress}`,
        via: `1.1 ${listenerAddress}`,
        link: `<${makeLureUrl('link')}>; rel=preload`,
      },
    })
  }
  await send(app.url, { headers: { host: listenerAddress } })
  await send(app.url, { method: 'CONNECT', path: listenerAddress }).catch(() => undefined)
  await expectNoConnection()
})

import { describe, expect, it } from 'vitest'
import { type EndpointName, endpoints } from '../../../shared/contract/index.ts'
import { codeSamples } from './code-samples.ts'

describe('the examples of a call', () => {
  it('send the session where one is needed, and keep it when signing in', () => {
    expect(codeSamples('listFiles')?.curl).toBe("curl -b cookies.txt '{{origin}}/api/files'")
    expect(codeSamples('version')?.curl).toBe("curl '{{origin}}/api/settings/version'")
    expect(codeSamples('login')?.curl).toMatch(/^curl -c cookies\.txt '/)
  })

  it('name the method only where curl would take another', () => {
    expect(codeSamples('deleteFile')?.curl).toContain(' -X DELETE ')
    expect(codeSamples('startTrial')?.curl).toContain(' -X POST ')
    expect(codeSamples('abortUpload')?.curl).not.toContain('-X')
    expect(codeSamples('abortUpload')?.curl).toMatch(/ \\\n {2}-d '\{"cloudKey":"\w+"\}'$/)
  })

  it('fill in the path, and what the query cannot do without', () => {
    expect(codeSamples('listParts')?.curl).toMatch(/upload-parts\?cloudKey=\w+'$/)
    expect(codeSamples('linkDetails')?.fetch).toMatch(/fetch\('\/api\/links\/\w+'\)/)
    for (const name of Object.keys(endpoints) as EndpointName[]) {
      expect(codeSamples(name)?.curl ?? '').not.toMatch(/[^{]\{\w+\}/)
    }
  })

  it('save bytes, and send them', () => {
    expect(codeSamples('download')).toMatchObject({
      curl: expect.stringMatching(/^curl -OJ '/),
      fetch: expect.stringContaining('await answer.blob()'),
      answer: null,
    })
    expect(codeSamples('saveLogo')?.curl).toContain('--data-binary @logo.png')
    expect(codeSamples('saveLogo')?.fetch).toContain('body: file')
  })

  it('are missing where only a browser opens the address', () => {
    expect(codeSamples('logout')).toBeNull()
    expect(codeSamples('docs')).toBeNull()
  })
})

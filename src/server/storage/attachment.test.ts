import { parse } from 'content-disposition'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attachment } from './attachment.ts'

it('is a header for any name, also one that is no Unicode', () => {
  const names = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', '\udc00')),
  )
  fc.assert(
    fc.property(names, (pieces) => {
      const name = pieces.join('')
      const header = attachment(name)
      expect(header).toMatch(/^attachment; filename=[\x20-\x7e]+; filename\*=UTF-8''[\x21-\x7e]*$/)
      expect(parse(header).parameters.filename).toBe(name.toWellFormed())
    }),
  )
})

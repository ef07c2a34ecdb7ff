import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxRecipients } from '../../shared/rules/links/link-emails.ts'
import { checkRecipients, parseRecipients } from './recipients.ts'

const addresses = fc.uniqueArray(fc.nat(), { maxLength: 40 }).map((numbers) =>
  // Not fc.emailAddress(), whose special characters people don't use.
  numbers.map((number) => `person.${number}@example.org`),
)
const separator = fc.constantFrom(',', ', ', ';', ' ; ', '\n', '\r\n', ' ', '\t', ',\n')

describe('parseRecipients', () => {
  it('finds the addresses of a list with any separators', () => {
    fc.assert(
      fc.property(addresses, separator, (list, between) => {
        expect(parseRecipients(` ${list.join(between)}\n`)).toEqual(list)
      }),
    )
  })

  it.each([
    ['Ada <ada@example.org>, "Lovelace, A" <a@example.org>', ['ada@example.org', 'a@example.org']],
    ['<ada@example.org>;<b@example.org>', ['ada@example.org', 'b@example.org']],
    ['Ada <ada@example.org> b@example.org', ['ada@example.org', 'b@example.org']],
    ['ada@example.org ADA@example.org', ['ada@example.org']],
    ['ada', ['ada']],
    [' ,;\n', []],
  ])('reads %j', (text, expected) => {
    expect(parseRecipients(text)).toEqual(expected)
  })
})

describe('checkRecipients', () => {
  it('allows up to 20 addresses', () => {
    fc.assert(
      fc.property(addresses, (list) => {
        const isAllowed = list.length > 0 && list.length <= maxRecipients
        expect(checkRecipients(list) === undefined).toBe(isAllowed)
      }),
    )
  })

  it.each([
    [[], 'Please enter an email address.'],
    [['ada@example.org', 'b@'], 'b@ is not an email address.'],
    [
      Array.from({ length: 21 }, (_, index) => `${index}@example.org`),
      'Please enter at most 20 addresses.',
    ],
  ])('says what is wrong with %j', (list, expected) => {
    expect(checkRecipients(list)).toBe(expected)
  })
})

import { z } from 'zod'
import { keyScopes, maxKeyNameLength } from '../rules/accounts/api-key.ts'
import { hasVisibleCharacter, isPlainLine } from '../rules/format/text.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, messageResponse } from './fields.ts'

const keySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().describe('The first 8 characters.'),
  scopes: z.array(z.enum(keyScopes)),
  createdAt: isoDate,
  expiresAt: isoDate.nullable().describe('Null if the key works until it is revoked.'),
  lastUsedAt: isoDate.nullable().describe('Accurate to a minute.'),
})
export type KeyView = z.output<typeof keySchema>

const keyName = z
  .string()
  .trim()
  .min(1)
  .max(maxKeyNameLength)
  .refine((name) => isPlainLine(name) && hasVisibleCharacter(name), 'Must be one line of text.')

/** The endpoints for a user's API keys. */
export const keys = {
  listKeys: endpoint('GET', '/api/keys', {
    summary: 'List your API keys, newest first',
    access: 'user',
    response: z.array(keySchema),
  }),
  createKey: endpoint('POST', '/api/keys', {
    summary: 'Create an API key. Only this answer contains the key',
    access: 'user',
    body: z.object({
      name: keyName,
      scopes: z
        .array(z.enum(keyScopes))
        .min(1)
        .transform((scopes) => keyScopes.filter((scope) => scopes.includes(scope))),
      expiresAt: z.iso
        .datetime({ offset: true })
        .transform((text) => new Date(text))
        .optional()
        .describe('Without it, the key works until it is revoked.'),
    }),
    response: keySchema.extend({ key: z.string() }),
    status: 201,
    errors: ['KEY_COUNT'],
  }),
  revokeKey: endpoint('DELETE', '/api/keys/{id}', {
    summary: 'Revoke an API key. It stops working at once',
    access: 'user',
    params: z.object({ id: z.string().max(64) }),
    response: messageResponse,
    errors: ['KEY_NOT_FOUND'],
  }),
}

import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import Provider, { type Adapter, type AdapterPayload, type InteractionResults } from 'oidc-provider'

/** A person with an account at the issuer. */
export interface IssuerPerson {
  sub: string
  email?: string
  email_verified?: unknown
  given_name?: string
  family_name?: string
  name?: string
  picture?: string
}

/** A real OpenID Connect provider that runs locally and has no login pages. */
export interface OidcIssuer {
  url: string
  /** The person whom the issuer signs in. If null, it denies the sign-in. */
  person: IssuerPerson | null
  close(): Promise<void>
}

export interface OidcIssuerOptions {
  port: number
  client: { id: string; secret: string }
  redirectUri: string
  /**
   * If true, the ID token contains only the subject. The userinfo endpoint returns the other
   * claims.
   */
  conformIdTokenClaims: boolean
}

/** Starts a provider. When it is closed, its keys, codes and sessions are lost. */
export async function startOidcIssuer(options: OidcIssuerOptions): Promise<OidcIssuer> {
  const { port, client, redirectUri, conformIdTokenClaims } = options
  const url = `http://127.0.0.1:${port}`
  const peopleById = new Map<string, IssuerPerson>()
  const provider = new Provider(url, {
    adapter: makeAdapter(),
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'name', 'picture'],
    },
    conformIdTokenClaims,
    cookies: { keys: ['a key of this test run'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: async () => ({ ...peopleById.get(sub), sub }),
    }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [signingKey()] },
    pkce: { required: () => true },
    renderError: (ctx, out) => {
      ctx.type = 'text'
      ctx.body = JSON.stringify(out)
    },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600 },
  })

  const issuer: OidcIssuer = { url, person: null, close: async () => {} }
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res)
    const finish = async (result: InteractionResults) => {
      ctx.respond = false
      await provider.interactionFinished(ctx.req, ctx.res, result, {
        mergeWithLastSubmission: true,
      })
    }
    const { person } = issuer
    if (person === null) return finish({ error: 'access_denied' })
    peopleById.set(person.sub, person)
    if (prompt.name === 'login') return finish({ login: { accountId: person.sub } })
    const grant = new provider.Grant({
      accountId: session?.accountId ?? '',
      clientId: String(params.client_id),
    })
    grant.addOIDCScope('openid email profile')
    return finish({ consent: { grantId: await grant.save() } })
  })

  const server = createServer(provider.callback())
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  issuer.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return issuer
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: 'a key', use: 'sig', alg: 'RS256' }
}

/**
 * Stores data in memory, like the provider's default adapter, but without the warning that the
 * default prints.
 */
function makeAdapter() {
  const payloadsByKey = new Map<string, AdapterPayload>()
  return (model: string): Adapter => {
    const makeKey = (id: string) => `${model} ${id}`
    const findPayload = (isMatch: (payload: AdapterPayload) => boolean) =>
      [...payloadsByKey].find(
        ([at, payload]) => at.startsWith(`${model} `) && isMatch(payload),
      )?.[1]
    return {
      upsert: async (id, payload) => void payloadsByKey.set(makeKey(id), payload),
      find: async (id) => payloadsByKey.get(makeKey(id)),
      findByUid: async (uid) => findPayload((payload) => payload.uid === uid),
      findByUserCode: async (code) => findPayload((payload) => payload.userCode === code),
      async consume(id) {
        const payload = payloadsByKey.get(makeKey(id))
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void payloadsByKey.delete(makeKey(id)),
      async revokeByGrantId(grantId) {
        for (const [at, payload] of payloadsByKey)
          if (payload.grantId === grantId) payloadsByKey.delete(at)
      },
    }
  }
}

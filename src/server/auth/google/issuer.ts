import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client'
import type { Logger } from 'pino'
import type { SignInError } from '../../../shared/rules/accounts/sign-in-error.ts'
import {
  type GoogleSettings,
  isLocalHttp,
  isSafeAddress,
  pictureOrigins,
} from '../../config/google-settings.ts'
import { type Identity, needsUserInfo, readIdentity } from './identity.ts'
import { joinMessages, SignInRejectedError } from './sign-in.ts'

/** These timeouts are short, because the user is waiting for a page. */
const discoveryTimeoutSeconds = 3
const responseTimeoutSeconds = 5
/** A generous limit: Google's largest response, the key set, is about 2 KB. */
const maxResponseBytes = 256 * 1024

/** The secrets for an authorization request. The database stores only a hash of `state`. */
export interface RequestSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

/** The configured issuer. It isn't contacted until the first sign-in. */
export class Issuer {
  readonly #settings: GoogleSettings
  readonly #log: Logger
  /**
   * The client configured from the discovery document. After a failure, the next sign-in fetches
   * the document again.
   */
  #client: Promise<Configuration> | null = null

  constructor(settings: GoogleSettings, log: Logger) {
    this.#settings = settings
    this.#log = log
  }

  /**
   * Returns the URL of the issuer's sign-in page.
   * @param redirectUri the URL to which the issuer redirects the browser.
   * @throws {SignInRejectedError} google-away
   */
  async signInUrl(secrets: RequestSecrets, redirectUri: string): Promise<URL> {
    const client = await this.#loadClient()
    return buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
      code_challenge_method: 'S256',
    })
  }

  /**
   * Returns the signed-in user's identity. `response` is the URL to which the issuer redirected the
   * browser. The ID token must be signed by the issuer, and issued for this server and this
   * request.
   * @throws {SignInRejectedError} if the response is invalid or the issuer fails.
   */
  async identify(response: URL, secrets: RequestSecrets): Promise<Identity> {
    const client = await this.#loadClient()
    try {
      const tokens = await authorizationCodeGrant(client, response, {
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        pkceCodeVerifier: secrets.codeVerifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new SignInRejectedError('google-refused', 'there is no ID token')
      const shouldFetchUserInfo = needsUserInfo(claims) && client.serverMetadata().userinfo_endpoint
      const userInfo = shouldFetchUserInfo
        ? await fetchUserInfo(client, tokens.access_token, claims.sub)
        : null
      return readIdentity(claims, userInfo, pictureOrigins(this.#settings))
    } catch (error) {
      const rejection = toSignInRejection(error)
      // The issuer's endpoints may have changed, so the next sign-in fetches the discovery document
      // again.
      if (rejection.code === 'google-away') this.#client = null
      throw rejection
    }
  }

  /** Fetches the discovery document. Concurrent sign-ins share one request. */
  async #loadClient(): Promise<Configuration> {
    this.#client ??= this.#discover()
    const clientPromise = this.#client
    try {
      return await clientPromise
    } catch (error) {
      if (this.#client === clientPromise) this.#client = null
      throw new SignInRejectedError('google-away', 'discovery failed', { cause: error })
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const client = await discovery(issuer, clientId, {}, createClientAuthentication(clientSecret), {
      timeout: discoveryTimeoutSeconds,
      [customFetch]: createIssuerFetch(issuer),
      execute: [
        enableNonRepudiationChecks,
        ...(isLocalHttp(issuer) ? [allowInsecureRequests] : []),
      ],
    })
    requireSafeEndpoints(client, issuer)
    client.timeout = responseTimeoutSeconds
    this.#log.info({ issuer: issuer.href }, 'loaded the configuration of the sign-in issuer')
    return client
  }
}

/**
 * Returns the function that adds the client id and secret to token requests: in the body if the
 * issuer supports it, otherwise in a header (RFC 8414 §2).
 */
function createClientAuthentication(clientSecret: string): ClientAuth {
  const inBody = ClientSecretPost(clientSecret)
  const inHeader = ClientSecretBasic(clientSecret)
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const authenticate = methods.includes('client_secret_post') ? inBody : inHeader
    authenticate(server, ...rest)
  }
}

/**
 * Checks the endpoints in the discovery document.
 * @throws {TypeError} if an endpoint is unsafe or a required one is missing.
 */
function requireSafeEndpoints(client: Configuration, issuer: URL): void {
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } =
    client.serverMetadata()
  const requiredEndpoints = { authorization_endpoint, token_endpoint, jwks_uri }
  const endpoints =
    userinfo_endpoint === undefined
      ? requiredEndpoints
      : { ...requiredEndpoints, userinfo_endpoint }
  for (const [name, address] of Object.entries(endpoints)) {
    const url = typeof address === 'string' ? URL.parse(address) : null
    if (url === null || !isSafeAddress(url, issuer)) {
      throw new TypeError(`${name} is ${JSON.stringify(address)}, which is no safe address`)
    }
  }
}

/**
 * Returns a `fetch` for requests to the issuer. The issuer supplies the endpoints, so each URL is
 * checked to prevent SSRF. Redirects are not followed, and responses are limited in size.
 */
function createIssuerFetch(issuer: URL): CustomFetch {
  return async (address, options) => {
    const url = new URL(address)
    if (!isSafeAddress(url, issuer)) throw new TypeError(`${url.origin} is no safe address`)
    const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
    const { status, headers } = response
    return new Response(await readBody(response), { status, headers })
  }
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null) return null
  const chunks: Uint8Array[] = []
  let size = 0
  // Breaking out of the loop closes the connection.
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > maxResponseBytes) throw new TypeError(`the answer exceeds ${maxResponseBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Error codes returned instead of an authorization code (RFC 6749 §4.1.2.1, OpenID Connect Core
 * §3.1.2.6).
 */
const authorizationErrors: Readonly<Record<string, SignInError>> = {
  access_denied: 'google-denied',
  login_required: 'google-denied',
  interaction_required: 'google-denied',
  consent_required: 'google-denied',
  account_selection_required: 'google-denied',
  temporarily_unavailable: 'google-away',
  server_error: 'google-away',
}

/** Error codes in token responses: those of RFC 6749 §5.2 and two that some issuers add. */
const tokenErrors: Readonly<Record<string, SignInError>> = {
  invalid_grant: 'google-lost',
  invalid_client: 'google-failed',
  unauthorized_client: 'google-failed',
  temporarily_unavailable: 'google-away',
  server_error: 'google-away',
}

/** `ClientError` codes that indicate an outage or a wrong clock. */
const clientErrors: Readonly<Record<string, SignInError>> = {
  OAUTH_TIMEOUT: 'google-away',
  OAUTH_ABORT: 'google-away',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'google-away',
  OAUTH_RESPONSE_IS_NOT_JSON: 'google-away',
  OAUTH_PARSE_ERROR: 'google-away',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'google-clock',
}

/** Maps an error to the `SignInRejectedError` that explains it. */
export function toSignInRejection(error: unknown): SignInRejectedError {
  if (error instanceof SignInRejectedError) return error
  return new SignInRejectedError(toSignInError(error), joinMessages(error), { cause: error })
}

function toSignInError(error: unknown): SignInError {
  if (error instanceof AuthorizationResponseError) {
    return authorizationErrors[error.error] ?? 'google-refused'
  }
  if (error instanceof ResponseBodyError) return tokenErrors[error.error] ?? 'google-refused'
  if (error instanceof ClientError) return clientErrors[error.code ?? ''] ?? 'google-refused'
  // `fetch` throws a TypeError on network errors, and so do our own checks of URLs and responses.
  return error instanceof TypeError ? 'google-away' : 'google-refused'
}

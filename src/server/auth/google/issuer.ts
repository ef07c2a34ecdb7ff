/**
 * Signing in with Google, or with another issuer of OpenID Connect. The words of this room:
 * - The *issuer* knows people and vouches for them. Its *subject* is its own id of a person.
 * - *Discovery* is the document in which it names the addresses of its calls and its keys.
 * - An *authorization request* leads a browser to the issuer, which sends it back with a code. The
 *   *state* says which request an answer belongs to.
 * - The *code* is exchanged, by the server itself, for an *ID token*: what the issuer says, signed.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client'
import type { Logger } from 'pino'
import {
  type GoogleSettings,
  isOfThisMachine,
  isSafeAddress,
  pictureOrigins,
} from '../../google-settings.ts'
import { type Identity, needsUserInfo, readIdentity } from './identity.ts'
import { isAway, refusalOf } from './issuer-faults.ts'
import { issuerFetch } from './issuer-fetch.ts'
import { SignInRefused } from './refusal.ts'

/** How long the server waits for discovery: somebody waits for a page meanwhile. */
const discoverySeconds = 3
/** How long it waits for each other answer of the issuer. */
const answerSeconds = 5

/** The secrets of one authorization request, which only the browser that began it can repeat. */
export interface RequestSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

/** The issuer that the operator named. Nothing is asked of it before somebody signs in. */
export class Issuer {
  readonly #settings: GoogleSettings
  readonly #log: Logger
  /** What discovery told. A failure is forgotten, so that the next sign-in asks again. */
  #client: Promise<Configuration> | null = null

  constructor(settings: GoogleSettings, log: Logger) {
    this.#settings = settings
    this.#log = log
  }

  /**
   * Makes sure that the issuer is known.
   * @throws {SignInRefused} google-away
   */
  async ready(): Promise<void> {
    await this.#discovered()
  }

  /**
   * Returns the issuer's address to which a browser goes to sign in.
   * @param redirectUri where the issuer sends the browser back to.
   * @throws {SignInRefused} google-away
   */
  async signInAddress(secrets: RequestSecrets, redirectUri: string): Promise<URL> {
    const client = await this.#discovered()
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
   * Returns who has signed in, by the address with which the issuer sent the browser back. The ID
   * token must be signed by the issuer, for this server and this very request.
   * @throws {SignInRefused} for whatever is wrong with the answer, or with the issuer.
   */
  async identify(answer: URL, secrets: RequestSecrets): Promise<Identity> {
    const client = await this.#discovered()
    try {
      const tokens = await authorizationCodeGrant(client, answer, {
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        pkceCodeVerifier: secrets.codeVerifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new SignInRefused('google-refused', 'there is no ID token')
      const isAsked = needsUserInfo(claims) && client.serverMetadata().userinfo_endpoint
      const userInfo = isAsked ? await fetchUserInfo(client, tokens.access_token, claims.sub) : null
      return readIdentity(claims, userInfo, pictureOrigins(this.#settings))
    } catch (error) {
      const refusal = refusalOf(error)
      // Its addresses may have changed.
      if (isAway(refusal)) this.#client = null
      throw refusal
    }
  }

  /** All who sign in at the same time wait for the same answer. */
  async #discovered(): Promise<Configuration> {
    this.#client ??= this.#discover()
    const client = this.#client
    try {
      return await client
    } catch (error) {
      if (this.#client === client) this.#client = null
      throw new SignInRefused('google-away', 'discovery failed', { cause: error })
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const client = await discovery(issuer, clientId, {}, clientAuthentication(clientSecret), {
      timeout: discoverySeconds,
      [customFetch]: issuerFetch(issuer),
      execute: [
        enableNonRepudiationChecks,
        ...(isOfThisMachine(issuer) ? [allowInsecureRequests] : []),
      ],
    })
    requireSafeAddresses(client, issuer)
    client.timeout = answerSeconds
    this.#log.info({ issuer: issuer.href }, 'The issuer for signing in is known')
    return client
  }
}

/** How the server proves to the issuer who it is. RFC 8414 §2: unless told otherwise, by a header. */
function clientAuthentication(clientSecret: string): ClientAuth {
  const inBody = ClientSecretPost(clientSecret)
  const inHeader = ClientSecretBasic(clientSecret)
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const authenticate = methods.includes('client_secret_post') ? inBody : inHeader
    authenticate(server, ...rest)
  }
}

/** @throws {TypeError} where discovery names no address that is needed, or one that is not safe. */
function requireSafeAddresses(client: Configuration, issuer: URL): void {
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } =
    client.serverMetadata()
  const needed = { authorization_endpoint, token_endpoint, jwks_uri }
  const named = userinfo_endpoint === undefined ? needed : { ...needed, userinfo_endpoint }
  for (const [name, address] of Object.entries(named)) {
    const url = typeof address === 'string' ? URL.parse(address) : null
    if (url === null || !isSafeAddress(url, issuer)) {
      throw new TypeError(`${name} is ${JSON.stringify(address)}, which is no safe address`)
    }
  }
}

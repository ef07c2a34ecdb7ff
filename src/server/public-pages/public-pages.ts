import type { Context } from 'hono'
import {
  type BrowserCondition,
  type PublicPlaceholder,
  publicConditions,
  publicPlaceholders,
  type ServerCondition,
} from '../../shared/placeholders.ts'
import { type BuiltPage, builtPageFile, builtPages } from '../../shared/public-pages.ts'
import { makeTemplate, type Page, pageHeaders, readBuilt } from '../http/built-pages.ts'
import type { HttpEnv } from '../http/env.ts'
import { compress, sendVariant, type Variants } from '../http/send-variants.ts'
import { hasSignedInHint } from '../http/session.ts'
import type { PlaceholderValues } from './page-values.ts'

type Headers = Readonly<Record<string, string>>

export interface PublicPages {
  /** Sends a page in the variant for visitors or the variant for signed-in users. */
  send(
    context: Context<HttpEnv>,
    name: BuiltPage,
    values: PlaceholderValues,
    status: 200 | 404,
  ): Promise<Response>
  text(
    context: Context<HttpEnv>,
    name: BuiltPage,
    values: PlaceholderValues,
  ): { html: string; headers: Headers }
}

/**
 * Reads the built public pages.
 * @param options.connect the storage origins that signed-in users upload to, for `connect-src`.
 * @param options.conditions the conditions that are true on this server. The pages include the
 * sections for these conditions.
 * @throws {StartupError} if the pages are missing or from another version.
 */
export function loadPublicPages(options: {
  distDir: string
  appUrl: URL
  connect?: readonly string[]
  conditions: readonly ServerCondition[]
}): PublicPages {
  const { distDir, appUrl, connect = [], conditions } = options
  const loadPage = (name: BuiltPage) => {
    const file = builtPageFile(name)
    const html = readBuilt(distDir, file)
    const template = makeTemplate({
      file,
      html,
      placeholders: publicPlaceholders,
      conditions: publicConditions,
      isPartial: true,
    })
    const headers: Headers = {
      ...pageHeaders({ html, appUrl, connect, referrer: 'same-origin' }),
      'cache-control': 'no-cache',
      vary: 'Cookie, Accept-Encoding',
    }
    const variants: Record<BrowserCondition, FilledPage> = {
      visitor: new FilledPage(template(['visitor', ...conditions])),
      signedIn: new FilledPage(template(['signedIn', ...conditions])),
    }
    return { headers, forms: variants }
  }
  const pages = new Map(builtPages.map((name) => [name, loadPage(name)]))

  const findPage = (context: Context<HttpEnv>, name: BuiltPage) => {
    const page = pages.get(name)
    if (page === undefined) throw new Error(`There is no page ${name}.`)
    return {
      headers: page.headers,
      form: page.forms[hasSignedInHint(context) ? 'signedIn' : 'visitor'],
    }
  }
  return {
    async send(context, name, values, status) {
      const { headers, form } = findPage(context, name)
      return sendVariant(context, { headers, variants: await form.variants(values) }, status)
    },
    text(context, name, values) {
      const { headers, form } = findPage(context, name)
      return { html: form.html(values), headers }
    },
  }
}

/** A page that is filled in and compressed again only if a value has changed. */
class FilledPage {
  readonly #template: Page<PublicPlaceholder>
  #last: { key: string; variants: Promise<Variants> } | null = null

  constructor(template: Page<PublicPlaceholder>) {
    this.#template = template
  }

  html(values: PlaceholderValues): string {
    return this.#template.fill(values)
  }

  variants(values: PlaceholderValues): Promise<Variants> {
    const key = JSON.stringify(values)
    if (this.#last?.key !== key) this.#last = { key, variants: compress(this.html(values)) }
    return this.#last.variants
  }
}

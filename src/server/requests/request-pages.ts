import {
  type RequestCondition,
  type RequestPlaceholder,
  requestConditions,
  requestPlaceholders,
} from '../../shared/placeholders.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import type { BrandRow } from '../branding/queries.ts'
import { allowStyle, makeTemplate, pageHeaders, readBuilt } from '../http/built-pages.ts'
import { accentStyle, brandConditions, brandValues } from '../links/page-brand.ts'

/** What the page of an open request shows before its password is known. */
interface LockedPageRequest {
  code: string
  closesAt: Date
}

/** What the page of an open request shows. */
export interface PageRequest extends LockedPageRequest {
  title: string
  /** The name of the user who asks for files. */
  requester: string
  message: string | null
  /** In bytes. */
  maxFileSize: number
  /** How many files a delivery can have. 0 if the request can't take any right now. */
  maxFiles: number
}

/** Where and when a request's page is shown, and with which brand. */
export interface RequestPageContext {
  /** Null if the page shows our brand. */
  brand: BrandRow | null
  /** The origin of the page's URLs. */
  origin: string
  now: Date
}

/** The pages on which people send files to a user. */
export interface RequestPages {
  open: (request: PageRequest, context: RequestPageContext) => Response
  /** Asks for the password and reveals nothing else about the request. */
  locked: (request: LockedPageRequest, context: RequestPageContext) => Response
  /** The page for a request that is unknown, closed or over. */
  notFound: () => Response
}

/**
 * Loads the templates of the request pages.
 * @param options.connect object storage origins, to which the page sends files.
 * @throws {StartupError} if the pages are missing or from another version.
 */
export function loadRequestPages(options: {
  distDir: string
  appUrl: URL
  connect: readonly string[]
}): RequestPages {
  const { distDir, appUrl, connect } = options
  const file = 'request.html'
  const html = readBuilt(distDir, file)
  const notFound = readBuilt(distDir, 'request-closed.html')
  const template = makeTemplate<RequestPlaceholder, RequestCondition>({
    file,
    html,
    placeholders: requestPlaceholders,
    conditions: requestConditions,
  })
  const headers = {
    ...pageHeaders({
      html: template(['plain']).text + notFound,
      appUrl,
      connect,
      referrer: 'no-referrer',
    }),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  }
  const render = (
    { code, closesAt }: LockedPageRequest,
    conditions: readonly RequestCondition[],
    values: typeof lockedValues,
    { brand, origin, now }: RequestPageContext,
  ) => {
    const style = accentStyle(brand)
    const body = template([...conditions, ...brandConditions(brand)]).fill({
      ...values,
      ...brandValues(brand),
      origin,
      code: encodeURIComponent(code),
      until: timestampText(closesAt, now),
      closesAt: closesAt.toISOString(),
      accentStyle: style,
    })
    return new Response(body, { headers: style === '' ? headers : allowStyle(headers, style) })
  }
  return {
    open: (request, context) => {
      const { title, requester, message, maxFileSize, maxFiles } = request
      const conditions: RequestCondition[] = [
        'unlocked',
        ...(maxFiles > 0 ? [] : (['full'] as const)),
        ...(message === null ? [] : (['message'] as const)),
      ]
      const values = {
        title,
        requester,
        message: message ?? '',
        limits: limitsText(maxFileSize, maxFiles),
        maxFileSize: String(maxFileSize),
        maxFiles: String(maxFiles),
      }
      return render(request, conditions, values, context)
    },
    locked: (request, context) => render(request, ['locked'], lockedValues, context),
    notFound: () => new Response(notFound, { status: 404, headers }),
  }
}

function limitsText(maxFileSize: number, maxFiles: number): string {
  const sizeText = `Up to ${formatSizeLimit(maxFileSize)} for each file`
  return maxFiles > 0 ? `${sizeText}, at most ${formatCount(maxFiles, 'file')}.` : `${sizeText}.`
}

/** What the page of a locked request shows instead of the request's content. */
const lockedValues = {
  title: 'Protected request',
  requester: '',
  message: '',
  limits: '',
  maxFileSize: '',
  maxFiles: '',
}

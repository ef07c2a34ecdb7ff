import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import type { CheckLine, CheckStatus } from '../../shared/contract/checks.ts'
import { Badge } from '../ui/badge.tsx'
import { checkMeaning } from './check-meanings.ts'
import { cureParts } from './cure-parts.ts'

const looks = {
  failing: {
    icon: <CircleAlert className="text-red" />,
    mark: <Badge tone="red">Failing</Badge>,
    text: '',
  },
  warning: {
    icon: <TriangleAlert className="text-amber" />,
    mark: <Badge tone="amber">Warning</Badge>,
    text: '',
  },
  ok: {
    icon: <CircleCheck className="text-accent" />,
    mark: <span className="text-muted text-sm">OK</span>,
    text: 'text-muted',
  },
} as const satisfies Record<CheckStatus, unknown>

/**
 * The result of one check: its name, what it is about, its status as a word, what the check found,
 * and what to do.
 */
export function CheckRow({ line: { name, status, message, cure } }: { line: CheckLine }) {
  const { icon, mark, text } = looks[status]
  const isFine = status === 'ok'
  const meaning = checkMeaning(name)
  return (
    <li
      className={`grid grid-cols-[20px_minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-line border-t px-4 first:border-t-0 sm:px-5 md:grid-cols-[20px_180px_minmax(0,1fr)_auto] ${isFine ? 'py-2.5' : 'py-4'}`}
    >
      <span aria-hidden="true" className="mt-0.5 [&_svg]:size-[18px]">
        {icon}
      </span>
      <h3 className="self-baseline font-semibold text-base leading-normal tracking-normal wrap-anywhere">
        {name}
      </h3>
      <div
        className={`col-span-2 col-start-2 wrap-anywhere max-md:row-start-2 md:col-span-1 md:col-start-3 ${text}`}
      >
        {meaning === null ? null : <p className="text-muted text-sm">{meaning}</p>}
        <p>{message}</p>
        {cure ? (
          <p className="mt-1 max-w-[76ch]">
            <b className="font-semibold">Cure:</b> <Cure cure={cure} />
          </p>
        ) : null}
      </div>
      <span className="col-start-3 row-start-1 self-start text-right md:col-start-4">{mark}</span>
    </li>
  )
}

/** The text of a cure. Each section of this page that it names is a link to that section. */
function Cure({ cure }: { cure: string }) {
  return cureParts(cure).map(({ text, section, at }) =>
    section === null ? (
      text
    ) : (
      <a
        key={at}
        href={`#${section}`}
        className="font-[560] text-accent underline underline-offset-3 hover:decoration-2"
      >
        {text}
      </a>
    ),
  )
}

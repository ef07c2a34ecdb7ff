import { commonErrors } from '../../../shared/contract/endpoint.ts'
import { type ErrorCode, errorTable } from '../../../shared/contract/errors.ts'
import { isTierLimitCode } from '../../../shared/contract/tier-errors.ts'
import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { byStatus } from './call-section.tsx'

/** Lists every error code with its status and its text. */
export function ErrorList() {
  const codes = byStatus(Object.keys(errorTable) as ErrorCode[])
  const common: readonly ErrorCode[] = commonErrors
  return (
    <table className="error-table">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Code</th>
          <th scope="col">Sentence</th>
        </tr>
      </thead>
      <tbody>
        {codes.map((code) => (
          <tr key={code}>
            <td>{errorTable[code].status}</td>
            <th scope="row">
              <code>{code}</code>
              {common.includes(code) ? ' *' : ''}
            </th>
            <td>{isTierLimitCode(code) ? publicPlaceholder(code) : errorTable[code].message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

import { placeholder } from '../../shared/placeholders.ts'
import { When } from '../built-pages/template.tsx'

/** A file in the list of a link's files. The server fills it in for each file. */
export function FileRow() {
  return (
    <li>
      <When is="ready">
        <a
          href={`/api/download/${placeholder('code')}/${placeholder('id')}`}
          download=""
          dir="auto"
        >
          {placeholder('name')}
        </a>
      </When>
      <When is="uploading">
        <b dir="auto">{placeholder('name')}</b>
      </When>
      <span>{placeholder('detail')}</span>
    </li>
  )
}

import { useState } from 'react'
import { linkCode } from '../../shared/rules/links/short-code.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ofLink, type TakedownQuestion } from './takedown-dialog.tsx'

/** The longest text that the field takes, in characters. Addresses of links are far shorter. */
const longestLink = 500

export interface TakeDownLinkProps {
  /** Asks whether to take the file down, and for the reason. */
  onAsk: (takedown: TakedownQuestion) => void
}

/** Takes down a file that nobody reported, by its link or its short code. */
export function TakeDownLink({ onAsk }: TakeDownLinkProps) {
  const [typed, setTyped] = useState('')
  const [errors, setErrors] = useState<{ link?: string }>({})
  const submit = async ({ link }: { link: string }): Promise<'stay'> => {
    const code = linkCode(link)
    setErrors(code === null ? { link: 'This is no link to a file, and no code of one.' } : {})
    if (code !== null) onAsk({ ...ofLink(code), onDone: () => setTyped('') })
    return 'stay'
  }
  return (
    <Form names={['link']} errors={errors} onSubmit={submit}>
      {() => (
        <div className="mb-3 flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <TextField
              label="Link or code"
              name="link"
              value={typed}
              onValueChange={(value) => {
                setTyped(value)
                setErrors({})
              }}
              hint="Of a file that nobody has reported."
              autoComplete="off"
              verbatim
              maxLength={longestLink}
              error={errors.link}
            />
          </div>
          {/* The padding has the height of the label's line, so the button stands beside the
              field. */}
          <div className="pt-[26px] [&>button]:h-11">
            <Button type="submit" label="Take down the file of this link">
              Take down
            </Button>
          </div>
        </div>
      )}
    </Form>
  )
}

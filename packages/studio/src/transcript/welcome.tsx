import { useWords } from "../shell/use-words.ts";

interface WelcomeProps {
  readonly isDemo: boolean;
  readonly onChoose: (text: string) => void;
}

/** What an empty chat says. The examples are those that the demo model has rules for. */
export function Welcome({ isDemo, onChoose }: WelcomeProps) {
  const words = useWords();
  return (
    <section className="welcome">
      <img src="/icon.svg" alt="" width="40" height="40" />
      <h2>{words.welcome}</h2>
      <p>{words.welcomeNote}</p>
      {isDemo && (
        <>
          <p className="demo-note">
            <span className="badge">{words.demo}</span>
            {words.demoNote}
          </p>
          <h3>{words.tryOne}</h3>
          <ul className="examples">
            {words.examples.map(example => (
              <li key={example}>
                <button type="button" onClick={() => onChoose(example)}>
                  {example}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

// The same four steps as with the other clients. run.js counts the lines that this prints.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"postern.example/clients/api"
)

func main() {
	credentials := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTERN_KEY"))
		request.Header.Set("x-auth-token", os.Getenv("POSTERN_ACTOR"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("POSTERN_URL"), api.WithRequestEditorFn(credentials))
	if err != nil {
		fmt.Println("not ok client:", err)
		return
	}
	ctx := context.Background()
	var quotedID, quotedURL string

	step("search with two pages", func() error {
		seen := map[string]bool{}
		var cursor *string
		for range 2 {
			count := 5
			answer, err := client.TweetAdvancedSearchWithResponse(ctx, &api.TweetAdvancedSearchParams{Q: "from:" + os.Getenv("POSTERN_OTHER_USER"), Count: &count, Cursor: cursor})
			if err != nil {
				return err
			}
			if answer.JSON200 == nil {
				return fmt.Errorf("status %d", answer.StatusCode())
			}
			for _, tweet := range answer.JSON200.Data.Tweets {
				seen[tweet.Id] = true
				quotedID, quotedURL = tweet.Id, *tweet.Url
			}
			cursor = answer.JSON200.Data.NextCursor
		}
		if len(seen) != 10 {
			return fmt.Errorf("two pages have %d tweets", len(seen))
		}
		return nil
	})
	step("create a tweet that quotes by URL", func() error {
		text := "Quoted by oapi-codegen"
		created, err := client.TweetCreateWithResponse(ctx, nil, api.TweetCreateJSONRequestBody{Text: &text, QuoteTweetUrl: &quotedURL})
		if err != nil {
			return err
		}
		if created.JSON200 == nil {
			return fmt.Errorf("status %d", created.StatusCode())
		}
		detail, err := client.TweetDetailWithResponse(ctx, &api.TweetDetailParams{TweetId: created.JSON200.Data.Id})
		if err != nil {
			return err
		}
		if found := string(detail.Body); !strings.Contains(found, quotedID) {
			return fmt.Errorf("the tweet quotes another one")
		}
		return nil
	})
	step("follow by name", func() error {
		name := os.Getenv("POSTERN_OTHER_USER")
		answer, err := client.UserFollowWithResponse(ctx, nil, api.UserFollowJSONRequestBody{Username: &name})
		if err != nil {
			return err
		}
		if answer.JSON200 == nil || answer.JSON200.Data.UserName != name || !answer.JSON200.Data.Following {
			return fmt.Errorf("status %d", answer.StatusCode())
		}
		return nil
	})
	step("an error by its code", func() error {
		answer, err := client.TweetDetailWithResponse(ctx, &api.TweetDetailParams{TweetId: "1"})
		if err != nil {
			return err
		}
		code := answer.HTTPResponse.Header.Get("x-error-code")
		if answer.JSON404 == nil || code != "not_found" {
			return fmt.Errorf("status %d, code %s", answer.StatusCode(), code)
		}
		return nil
	})
}

func step(name string, run func() error) {
	if err := run(); err != nil {
		fmt.Printf("not ok %s: %v\n", name, err)
		return
	}
	fmt.Printf("ok %s\n", name)
}

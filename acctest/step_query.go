package acctest

import (
	"context"
	"errors"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"

	"github.com/posixform/terraform-provider-posix/engine/planjson"
)

// queryName is the file name that terraform-plugin-testing gives to the Config of a Query
// step.
const queryName = "terraform_plugin_test.tfquery.hcl"

// query runs a step with a query and its checks.
func (r *runner) query() error {
	files := r.applied
	if files == nil {
		return fatalf("Query: no step before it had a configuration")
	}
	results, err := r.session.query(files.with(queryName, r.step.Config), r.step.ConfigVariables)
	if err != nil {
		return titled{"Error running the query: ", err}
	}
	found, complete := planjson.Query(results)
	var last tfjson.ListCompleteData
	if len(complete) > 0 {
		last = complete[len(complete)-1]
	}
	var errs []error
	for _, check := range r.step.QueryResultChecks {
		of, err := filtered(check, found)
		if err != nil {
			return err
		}
		var resp querycheck.CheckQueryResponse
		check.CheckQuery(context.Background(), querycheck.CheckQueryRequest{
			Query: of, QuerySummaries: complete,
			QuerySummary: &last, //nolint:staticcheck // existing checks may use it
		}, &resp)
		errs = append(errs, resp.Error)
	}
	if err := errors.Join(errs...); err != nil {
		return titled{"Query checks failed:\n", err}
	}
	return nil
}

// filtered returns the results that at least one filter of the check includes, or all if
// the check has no filters.
func filtered(check querycheck.QueryResultCheck, found []tfjson.ListResourceFoundData) ([]tfjson.ListResourceFoundData, error) {
	with, ok := check.(querycheck.QueryResultCheckWithFilters)
	if !ok {
		return found, nil
	}
	filters := with.QueryFilters(context.Background())
	if len(filters) == 0 {
		return found, nil
	}
	var out []tfjson.ListResourceFoundData
	for _, item := range found {
		include := false
		for _, filter := range filters {
			var resp queryfilter.FilterQueryResponse
			filter.Filter(context.Background(), queryfilter.FilterQueryRequest{QueryItem: item}, &resp)
			if resp.Error != nil {
				return nil, resp.Error
			}
			include = include || resp.Include
		}
		if include {
			out = append(out, item)
		}
	}
	return out, nil
}
